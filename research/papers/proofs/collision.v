(* The event of theorem 1, and what a record that completes it must be. *)

From mathcomp Require Import all_ssreflect all_algebra.
From kcxaes Require Import game cipher.
Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.
Import Order.TTheory GRing.Theory Num.Theory.
Local Open Scope ring_scope.

Section Collision.

Variables (key : finType) (B : finZmodType) (D : B) (double : B -> B).
Hypothesis D0 : D != 0.
Hypothesis addBB : forall x : B, x + x = 0.

Notation rec := (cipher.rec key B).
Implicit Types (r : rec) (t : seq rec).

(* E_k(b), where the transcript says it. *)
Fixpoint enc t k b : option B :=
  if t is r :: t' then
    if kk r != k then enc t' k b
    else if b == aa r then Some (z1 r)
    else if b == aa r + D then Some (z2 r) else enc t' k b
  else None.

(* F_com(k, u, v): the second half has v + D. CMAC's K1 is [double] of E_k(0). *)
Definition com t k u v : option (B * B) :=
  if (enc t k 0, enc t k u) is (Some e, Some x) then
    let w := x + v + double e in
    if (enc t k w, enc t k (w + D)) is (Some y, Some z) then Some (y, z) else None
  else None.

Definition collision t : bool :=
  [exists k, exists k', exists u, exists v,
    [&& k != k', com t k u v != None & com t k u v == com t k' u v]].

(* What the adversary does first with a key is to ask for E_k(0). *)
Variable adv : seq rec -> key * bool * B.
Hypothesis zero_first : forall t, ~~ has (fun r => kk r == (adv t).1.1) t -> (adv t).1.2 /\ (adv t).2 = 0.

Notation next := (next D adv).
Notation valid := (valid next).
Notation in_pair := (in_pair D).
Notation dom := (dom D).

(* ── Partial collisions ── *)

Definition same r r' := [set z1 r; z2 r] == [set z1 r'; z2 r'].
Definition partial r r' := (kk r != kk r') && same r r'.

(* Some forward pair is in a partial collision with an earlier one. *)
Definition meets t r := fw r && has (partial r) t.
Notation forward := (ever meets).

(* The pairs that are in a partial collision with one under k. *)
Definition neighbour k t r := (kk r != k) && has (fun r' => (kk r' == k) && same r' r) t.
Definition col k t := count (neighbour k t) t.

Lemma same_sym r r' : same r r' = same r' r.
Proof. by rewrite /same eq_sym. Qed.

Lemma partial_sym r r' : partial r r' = partial r' r.
Proof. by rewrite /partial same_sym eq_sym. Qed.

Lemma same_out r r' x : same r r' -> out_pair r x = out_pair r' x.
Proof. by move=> /eqP/setP/(_ x); rewrite !inE. Qed.

Lemma same_trans r r' r'' : same r r' -> same r' r'' -> same r r''.
Proof. by rewrite /same => /eqP->. Qed.

Lemma samer r : same r r.
Proof. exact: eqxx. Qed.

Lemma out1 r : out_pair r (z1 r). Proof. by rewrite /out_pair eqxx. Qed.
Lemma out2 r : out_pair r (z2 r). Proof. by rewrite /out_pair eqxx orbT. Qed.

(* The first output and the set of both tell the second. *)
Lemma same_z2 r s r' : z1 r = z1 s -> z1 r != z2 r -> z1 s != z2 s -> same r r' -> same s r' -> z2 r = z2 s.
Proof.
move=> zE rz sz sr ss; have: same r s by apply: same_trans sr _; rewrite same_sym.
move/(same_out (z2 r)); rewrite out2 => /esym/orP[/eqP E|/eqP//].
by move: rz; rewrite E zE eqxx.
Qed.

(* ── What a pair says ── *)

Definition out r b := if b == aa r then z1 r else z2 r.

Lemma out_aa r : out r (aa r) = z1 r.
Proof. by rewrite /out eqxx. Qed.

Lemma aaD r : (aa r + D == aa r) = false.
Proof. by rewrite -[X in _ == X]addr0; apply/eqP => /addrI/eqP; rewrite (negPf D0). Qed.

Lemma out_aaD r : out r (aa r + D) = z2 r.
Proof. by rewrite /out aaD. Qed.

Lemma out_out r b : out_pair r (out r b).
Proof. by rewrite /out; case: ifP; rewrite ?out1 ?out2. Qed.

Lemma in1 r : in_pair r (aa r). Proof. by rewrite /in_pair eqxx. Qed.
Lemma in2 r : in_pair r (aa r + D). Proof. by rewrite /in_pair eqxx orbT. Qed.

Lemma out_inj r b b' : z1 r != z2 r -> in_pair r b -> in_pair r b' -> out r b = out r b' -> b = b'.
Proof.
move=> zs /orP[]/eqP-> /orP[]/eqP->; rewrite ?out_aa ?out_aaD // => E; move: zs.
  by rewrite E eqxx.
by rewrite E eqxx.
Qed.

Lemma encE t k b x : enc t k b = Some x -> exists2 r, r \in t & [/\ kk r = k, in_pair r b & x = out r b].
Proof.
elim: t => //= r t IH; case: eqP => /= [kE|_].
  case: ifP => [/eqP-> [<-]|ba]; first by exists r; rewrite ?mem_head // out_aa in1.
  case: ifP => [/eqP-> [<-]|_]; first by exists r; rewrite ?mem_head // out_aaD in2.
  by move=> /IH[s st H]; exists s; rewrite // inE st orbT.
by move=> /IH[s st H]; exists s; rewrite // inE st orbT.
Qed.

Lemma dom_enc t k b : b \in dom k t -> enc t k b != None.
Proof.
rewrite inE; elim: t => //= r t IH /orP[/andP[/eqP-> /orP[]/eqP->]|/IH H]; rewrite ?eqxx /= ?eqxx //.
  by rewrite aaD.
by do 3?case: ifP.
Qed.

(* A key that was used has been asked for E(0). *)
Lemma zero_known t r : valid t -> r \in t -> 0 \in dom (kk r) t.
Proof.
elim: t r => //= s t IH r /andP[sn vt].
have sub k : dom k t \subset dom k (s :: t).
  by apply/subsetP => x; rewrite !inE => /hasP[p pt pp]; apply/hasP; exists p; rewrite // inE pt orbT.
rewrite in_cons => /orP[/eqP->|/(IH _ vt) H]; last exact: (subsetP (sub _)).
have [kE fE xE] := next_adv sn.
case: (boolP (has (fun p => kk p == kk s) t)) => [/hasP[p pt /eqP pk]|nh].
  by apply: (subsetP (sub _)); rewrite -pk; apply: IH.
have [f x] : (adv t).1.2 /\ (adv t).2 = 0 by apply: zero_first; rewrite -kE.
by move: xE; rewrite fE f x => E; rewrite inE /= eqxx -E in1.
Qed.

(* K1, where it is known. *)
Definition sub t k := double (odflt 0 (enc t k 0)).

Lemma enc_stable t r k b : r \in next t -> b \in dom k t -> enc (r :: t) k b = enc t k b.
Proof.
move=> rn bd /=; case: eqP => //= kE; have [d _ _ _] := nextP rn.
have nd : ~~ in_pair r b.
  apply: contra d; rewrite kE => /orP[]/eqP bE; first by rewrite -bE.
  move: bd; rewrite bE !inE => /hasP[p pt /andP[kp pp]]; apply/hasP; exists p => //.
  by rewrite kp -in_pairD.
by move: nd; rewrite /in_pair negb_or => /andP[/negPf-> /negPf->].
Qed.

Lemma sub_stable t r s : valid t -> r \in next t -> s \in t -> sub (r :: t) (kk s) = sub t (kk s).
Proof. by move=> vt rn st; rewrite /sub enc_stable ?zero_known. Qed.

(* ── A full collision ── *)

(* Equal where the halves are, D where they are exchanged. *)
Definition dl r r' := if z1 r == z1 r' then 0 else D.

(* r and r' have the outputs, u and u' the first block, b. *)
Definition eqn (S : key -> B) r r' u u' b :=
  out u b + (aa r + S (kk r)) == out u' b + (aa r' + S (kk r')) + dl r r'.

Definition fits t r r' u u' b :=
  [&& partial r r', kk u == kk r, kk u' == kk r', in_pair u b, in_pair u' b & eqn (sub t) r r' u u' b].

Definition full t := exists r r' u u' b, [/\ r \in t, r' \in t, u \in t, u' \in t & fits t r r' u u' b].

Lemma fits_sym t r r' u u' b : fits t r r' u u' b -> fits t r' r u' u b.
Proof.
case/and5P=> p k k' i /andP[i' /eqP e]; rewrite /fits partial_sym p k k' i i' /eqn e /=.
by rewrite -addrA /dl [z1 r' == _]eq_sym addBB addr0.
Qed.

Lemma undo (x v e : B) : x + (x + v + e + e) = v.
Proof. by rewrite -(addrA _ e) addBB addr0 addrA addBB add0r. Qed.

Lemma undoD (x v e : B) : x + (x + v + e + D + e) = v + D.
Proof. by rewrite [x + v + e + D]addrAC -(addrA x) undo. Qed.

(* The pair of the last two calls, and how its halves lie. *)
Lemma last_pair t k w y z : valid t -> enc t k w = Some y -> enc t k (w + D) = Some z ->
  exists2 r, r \in t & kk r = k /\ ((aa r = w /\ (z1 r = y /\ z2 r = z)) \/ (aa r = w + D /\ (z1 r = z /\ z2 r = y))).
Proof.
move=> vt /encE[r rt [kr ir ->]] /encE[s st [ks is_ ->]]; exists r => //.
have <- : r = s.
  apply: (uniq_dom addBB vt rt st _ ir); first by rewrite kr ks.
  by rewrite -(in_pairD _ addBB).
split=> //; case/orP: ir => /eqP->; [left|right]; first by rewrite out_aa out_aaD.
by rewrite addDD // out_aa out_aaD.
Qed.

Lemma collision_full t : valid t -> collision t -> full t.
Proof.
move=> vt /existsP[k /existsP[k' /existsP[u /existsP[v /and3P[kk' kn /eqP E]]]]].
move: kn E; rewrite /com.
case e: (enc t k 0) => [c|] //; case x: (enc t k u) => [x0|] //.
case y: (enc t k _) => [y0|] //; case z: (enc t k _) => [z0|] // _.
case e': (enc t k' 0) => [c'|] //; case x': (enc t k' u) => [x0'|] //.
case y': (enc t k' _) => [y0'|] //; case z': (enc t k' _) => [z0'|] // [E1 E2]; subst y0' z0'.
have [r rt [kr cr]] := last_pair vt y z; have [r' rt' [kr' cr']] := last_pair vt y' z'.
have [s st [ks is_ xs]] := encE x; have [s' st' [ks' is' xs']] := encE x'.
exists r, r', s, s', u; split=> //.
have zr := valid_z vt rt; have zr' := valid_z vt rt'.
rewrite /fits ks kr ks' kr' !eqxx is_ is' /= /partial kr kr' kk' /=; apply/andP; split.
  by rewrite /same; case: cr => [[_ [-> ->]]|[_ [-> ->]]]; case: cr' => [[_ [-> ->]]|[_ [-> ->]]] //; rewrite setUC.
rewrite /eqn -xs -xs' kr kr' /sub e e' /= /dl.
case: cr => [[-> [zE zE2]]|[-> [zE zE2]]]; case: cr' => [[-> [zE' zE2']]|[-> [zE' zE2']]].
- by rewrite zE zE' eqxx !undo addr0.
- have /negPf-> : z1 r != z1 r' by rewrite zE zE' -zE -zE2.
  by rewrite undo undoD addDD //.
- have /negPf-> : z1 r != z1 r' by rewrite zE zE' -zE -zE2.
  by rewrite undo undoD.
by rewrite zE zE' eqxx !undoD addr0.
Qed.

End Collision.
