(* How many answers let a pair complete a collision: lemmas 1 and 3. *)

From mathcomp Require Import all_ssreflect all_algebra.
From kcxaes Require Import game cipher collision.
Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.
Import Order.TTheory GRing.Theory Num.Theory.
Local Open Scope ring_scope.

Lemma card_has (T : finType) (I : eqType) (A : {set T}) (Q : T -> pred I) (s : seq I) (c m : nat) :
    (forall i, i \in s -> (#|[set r in A | Q r i]| * c <= m)%N) ->
  (#|[set r in A | has (Q r) s]| * c <= size s * m)%N.
Proof.
elim: s => [|i s IH] H.
  by rewrite (_ : [set r in A | _] = set0) ?cards0 //; apply/setP => r; rewrite !inE andbF.
rewrite (_ : [set r in A | _] = [set r in A | Q r i] :|: [set r in A | has (Q r) s]); last first.
  by apply/setP => r; rewrite !inE /= andb_orr.
rewrite mulSn; apply: (leq_trans (leq_mul (leq_card_setU _ _).1 (leqnn c))).
by rewrite mulnDl leq_add ?H ?mem_head // IH // => j js; rewrite H // inE js orbT.
Qed.

Lemma card_or (T : finType) (A : {set T}) (P Q : pred T) (c m n : nat) :
    (#|[set r in A | P r]| * c <= m)%N -> (#|[set r in A | Q r]| * c <= n)%N ->
  (#|[set r in A | P r || Q r]| * c <= m + n)%N.
Proof.
move=> Hm Hn; rewrite (_ : [set r in A | _] = [set r in A | P r] :|: [set r in A | Q r]); last first.
  by apply/setP => r; rewrite !inE /= andb_orr.
by apply: (leq_trans (leq_mul (leq_card_setU _ _).1 (leqnn c))); rewrite mulnDl leq_add.
Qed.

Section Counting.

Variables (key : finType) (B : finZmodType) (D : B) (double : B -> B).
Hypothesis D0 : D != 0.
Hypothesis addBB : forall x : B, x + x = 0.

Notation rec := (cipher.rec key B).
Implicit Types (r : rec) (t : seq rec).

Variable adv : seq rec -> key * bool * B.
Hypothesis zero_first : forall t, ~~ has (fun r => kk r == (adv t).1.1) t -> (adv t).1.2 /\ (adv t).2 = 0.

Notation next := (next D adv).
Notation valid := (valid next).
Notation in_pair := (in_pair D).
Notation sub := (sub D double).
Notation eqn := (eqn D).
Notation full := (full D double).

Variable q : nat.
Notation M := (M B q).

Lemma next_z t r : r \in next t -> z1 r != z2 r.
Proof. by case/nextP. Qed.

Lemma next_kk t r s : r \in next t -> s \in next t -> kk r = kk s.
Proof. by move=> /next_adv[-> _ _] /next_adv[-> _ _]. Qed.

(* ── Lemma 1 ── *)

Lemma card_meets t : (#|[set r in next t | meets t r]| <= 2 * size t)%N.
Proof.
have H s : s \in t -> (#|[set r in next t | fw r && partial r s]| * 1 <= 2)%N.
  move=> _; apply: (@leq_trans (#|[set r in next t | (fw r && partial r s && (z1 r == z1 s))
      || (fw r && partial r s && (z1 r != z1 s))]| * 1)).
    rewrite !muln1 subset_leq_card //; apply/subsetP => r; rewrite !inE => /andP[-> /andP[-> ->]] /=.
    by case: eqP.
  apply: (@card_or _ _ _ _ 1 1 1); rewrite muln1; apply/card_le1_eqP => x y.
    rewrite !inE => /andP[xn /andP[/andP[fx /andP[_ sx]] /eqP ex]] /andP[yn /andP[/andP[fy /andP[_ sy]] /eqP ey]].
    have [kx fwx ax] := next_adv xn; have [ky fwy ay] := next_adv yn.
    have zz : z1 y = z1 x by rewrite ex ey.
    apply: (next_eq yn xn) => //; first by move: ax ay; rewrite fx fy => -> ->.
    by apply: (same_z2 zz (next_z yn) (next_z xn) sy sx).
  rewrite !inE => /andP[xn /andP[/andP[fx /andP[_ sx]] ex]] /andP[yn /andP[/andP[fy /andP[_ sy]] ey]].
  have [kx fwx ax] := next_adv xn; have [ky fwy ay] := next_adv yn.
  have zz : z1 y = z1 x.
    move: (same_out (z1 x) sx) (same_out (z1 y) sy); rewrite !out1 => /esym/orP[|/eqP->].
      by rewrite (negPf ex).
    by move=> /esym/orP[|/eqP->//]; rewrite (negPf ey).
  apply: (next_eq yn xn) => //; first by move: ax ay; rewrite fx fy => -> ->.
  by apply: (same_z2 zz (next_z yn) (next_z xn) sy sx).
rewrite mulnC -[X in (X <= _)%N]muln1; apply: leq_trans (card_has H).
rewrite !muln1 subset_leq_card //; apply/subsetP => r; rewrite !inE => /andP[-> /andP[fr /hasP[s st p]]] /=.
by apply/hasP; exists s; rewrite ?fr.
Qed.

(* ── Lemma 3, case 1: r is the pair of u, p and the pair s with its outputs were there ── *)

Definition hit1 t r p (c : bool) :=
  let b := if c then aa r else aa r + D in
  neighbour (kk r) t p &&
  [exists s, exists u, [&& s \in t, kk s == kk r, same s p,
                           u \in t, kk u == kk p, in_pair u b & eqn (sub t) s p r u b]].

Lemma hit1P t r p c : hit1 t r p c -> let b := if c then aa r else aa r + D in
  exists s u, [/\ s \in t, kk s = kk r, same s p & [/\ u \in t, kk u = kk p, in_pair u b & eqn (sub t) s p r u b]].
Proof. by case/andP=> _ /existsP[s /existsP[u /and5P[st /eqP ks sp ut /and3P[/eqP ku iu e]]]]; exists s, u. Qed.

Lemma card_hit1 t p c : valid t -> p \in t -> (size t < q)%N ->
  (#|[set r in next t | hit1 t r p c]| * M <= #|next t|)%N.
Proof.
move=> vt pt lt; pose f := if c then if (adv t).1.2 then vary1 D adv t else varya D adv t else vary2 D adv t.
rewrite -[X in (_ <= X)%N]mul1n; apply: (@fibres _ _ _ f) => [r|a an].
  rewrite inE => /andP[rn _]; have [k fE _] := next_adv rn; have [s2 s1 sa] := vary_sub D adv t r.
  rewrite /f; case: {+}c; last by rewrite s2 card_vary2.
  by case: ifPn => fa; [rewrite s1 card_vary1 // fE | rewrite sa card_varya // fE].
apply/card_le1_eqP => x y; rewrite !inE => /andP[/andP[xn hx] ax] /andP[/andP[yn hy] ay].
have kE := next_kk xn yn.
have [s [u [st ks sp [ut ku iu /eqP e]]]] := hit1P hx.
have [s' [u' [st' ks' sp' [ut' ku' iu' /eqP e']]]] := hit1P hy.
have {st' ks' sp'} sE : s' = s.
  apply: (uniq_ran vt st' st (x := z1 p)); first by rewrite ks ks' kE.
    by rewrite (same_out _ sp') out1.
  by rewrite (same_out _ sp) out1.
rewrite {s'}sE in e'.
have uE b : in_pair u b -> in_pair u' b -> u' = u.
  by move=> i i'; apply: (uniq_dom addBB vt ut' ut _ i' i); rewrite ku ku'.
move: ax ay iu iu' e e' uE; rewrite /f; clear f; case: c hx hy => hx hy; last first.
  rewrite !inE => /and3P[_ /eqP ax /eqP zx] /and3P[_ /eqP ay /eqP zy] iu iu' e e' uE.
  have aE : aa y = aa x by rewrite -ax ay.
  apply: (next_eq yn xn) => //; first by rewrite -zx zy.
  rewrite aE in iu' e'; rewrite (uE _ iu iu') in e'.
  by move: e'; rewrite -e -aE out_aaD // aE out_aaD // => /addIr.
case: ifPn => fa; rewrite !inE => /and3P[_ /eqP ax /eqP zx] /and3P[_ /eqP ay /eqP zy] iu iu' e e' uE.
  have aE : aa y = aa x by rewrite -ax ay.
  apply: (next_eq yn xn) => //; last by rewrite -zx zy.
  rewrite aE in iu' e'; rewrite (uE _ iu iu') in e'.
  by move: e'; rewrite -e -aE out_aa aE out_aa => /addIr.
have zE1 : z1 y = z1 x by rewrite -ax ay.
apply: (next_eq yn xn) => //; last by rewrite -zx zy.
have oE : out u' (aa y) = out u (aa x).
  by move: e e'; rewrite !out_aa zE1 => -> /addIr/addIr->.
have uu : u' = u.
  by apply: (uniq_ran vt ut' ut (x := out u (aa x))); [rewrite ku ku'|rewrite -oE out_out|exact: out_out].
by rewrite uu in iu' oE; apply: (out_inj D0 (valid_z vt ut) iu' iu oE).
Qed.

(* ── Lemma 3, case 2: r is the pair of the last two calls ──

   The count goes over the other key's pairs u that hold the first block. Each is of one key, which has at most one pair
   p with z1, so there are as many choices as pairs; the paper leaves them out. *)

Definition hita t r u (c : bool) :=
  [&& ~~ fw r, aa r == aa u + (if c then 0 else D) & [exists p, [&& p \in t, kk p == kk u, kk p != kk r & same r p]]].

Definition hitb t r u (c : bool) :=
  let b := aa u + (if c then 0 else D) in
  ~~ fw r && [exists p, exists s, [&& p \in t, kk p == kk u, kk p != kk r, same r p,
                                      s \in t, kk s == kk r, in_pair s b & eqn (sub t) r p s u b]].

Lemma backward_z1 t x y : x \in next t -> y \in next t -> ~~ fw x -> z1 x = z1 y.
Proof.
by move=> /next_adv[_ f z] /next_adv[_ f' z'] fx; move: z z'; rewrite f' -f (negPf fx) => -> ->.
Qed.

Lemma card_hita t u c : valid t -> (#|[set r in next t | hita t r u c]| <= 1)%N.
Proof.
move=> vt; apply/card_le1_eqP => x y; rewrite !inE.
case/andP=> xn /and3P[fx /eqP ax /existsP[p /and4P[pt /eqP kp _ sp]]].
case/andP=> yn /and3P[fy /eqP ay /existsP[p' /and4P[pt' /eqP kp' _ sp']]].
have zE := backward_z1 yn xn fy.
have pE : p' = p.
  apply: (uniq_ran vt pt' pt (x := z1 x)); first by rewrite kp kp'.
    by rewrite -(same_out _ sp') -zE out1.
  by rewrite -(same_out _ sp) out1.
rewrite pE in sp'; apply: (next_eq yn xn) => //; first by rewrite ax ay.
exact: (same_z2 zE (next_z yn) (next_z xn) sp' sp).
Qed.

Lemma card_hitb t u c : valid t -> (#|[set r in next t | hitb t r u c]| <= 1)%N.
Proof.
move=> vt; apply/card_le1_eqP => x y; rewrite !inE.
case/and3P=> xn fx /existsP[p /existsP[s /and5P[pt /eqP kp _ sp /and4P[st /eqP ks is_ /eqP e]]]].
case/and3P=> yn fy /existsP[p' /existsP[s' /and5P[pt' /eqP kp' _ sp' /and4P[st' /eqP ks' is' /eqP e']]]].
have zE := backward_z1 yn xn fy.
have pE : p' = p.
  apply: (uniq_ran vt pt' pt (x := z1 x)); first by rewrite kp kp'.
    by rewrite -(same_out _ sp') -zE out1.
  by rewrite -(same_out _ sp) out1.
have sE : s' = s by apply: (uniq_dom addBB vt st' st _ is' is_); rewrite ks ks' (next_kk xn yn).
rewrite {}pE {}sE in e' sp'; apply: (next_eq yn xn) => //; last first.
  exact: (same_z2 zE (next_z yn) (next_z xn) sp' sp).
have dE : dl D y p = dl D x p by rewrite /dl zE.
by move: e'; rewrite dE (next_kk yn xn) -e => /addrI/addIr.
Qed.

(* ── Each collision is completed by such a pair ── *)

Definition case1 t r := has (fun p => hit1 t r p true || hit1 t r p false) t.
Definition case2 t r := has (fun u => [|| hita t r u true, hita t r u false, hitb t r u true | hitb t r u false]) t.

Lemma step_own t r r1 r1' u u' b : valid (r :: t) -> kk r1 = kk r ->
    r1 \in r :: t -> r1' \in r :: t -> u \in r :: t -> u' \in r :: t ->
    fits D double (r :: t) r1 r1' u u' b ->
  [\/ full t, meets t r, case1 t r | case2 t r].
Proof.
move=> /andP[rn vt] kr r1t r1t' ut ut' /and5P[/andP[pk ps] /eqP ku /eqP ku' iu /andP[iu' e]].
have tl s : s \in r :: t -> kk s != kk r -> s \in t.
  by rewrite in_cons => /orP[/eqP->|//]; rewrite eqxx.
have nk : kk r1' != kk r by rewrite -kr eq_sym.
have {r1t'} r1t' := tl _ r1t' nk; have {ut'} ut' : u' \in t by apply: tl => //; rewrite ku'.
have st s : s \in t -> sub (r :: t) (kk s) = sub t (kk s) by move=> ?; apply: (sub_stable _ addBB zero_first).
move: r1t; rewrite in_cons => /orP[/eqP rE|r1t].
  rewrite {r1 kr}rE in pk ps ku e.
  case f: (fw r); first by constructor 2; rewrite /meets f; apply/hasP; exists r1'; rewrite // /partial pk ps.
  constructor 4; apply/hasP; exists u' => //.
  have [c bE] : exists c : bool, b = aa u' + (if c then 0 else D).
    by move: iu' => /orP[]/eqP->; [exists true; rewrite addr0|exists false].
  move: ut; rewrite in_cons => /orP[/eqP uE|ut].
    have [d dE] : exists d : bool, aa r = aa u' + (if d then 0 else D).
      rewrite {u ku}uE in iu e; move: iu => /orP[]/eqP rb; first by exists c; rewrite -rb bE.
      exists (~~ c); have -> : aa r = b + D by rewrite rb addDD.
      by rewrite bE; case: (c); rewrite /= ?addr0 ?addDD.
    have : hita t r u' d.
      by rewrite /hita f dE eqxx /=; apply/existsP; exists r1'; rewrite r1t' ku' eqxx nk ps.
    by case: d {dE} => ->; rewrite ?orbT.
  have : hitb t r u' c.
    rewrite /hitb f /=; apply/existsP; exists r1'; apply/existsP; exists u.
    rewrite r1t' ut ku ku' !eqxx nk ps -bE iu /=.
    by move: e; rewrite /eqn -ku !st.
  by case: c {bE} => ->; rewrite ?orbT.
have eS : eqn (sub t) r1 r1' u u' b by move: e; rewrite /eqn !st.
move: ut; rewrite in_cons => /orP[/eqP uE|ut]; last first.
  by constructor 1; exists r1, r1', u, u', b; split=> //; rewrite /fits /partial pk ps ku ku' !eqxx iu iu'.
constructor 3; apply/hasP; exists r1' => //; rewrite {u ku}uE in iu eS e.
have [c bE] : exists c : bool, b = (if c then aa r else aa r + D).
  by move: iu => /orP[]/eqP->; [exists true|exists false].
have : hit1 t r r1' c.
  rewrite /hit1 /neighbour nk /=; apply/andP; split; first by apply/hasP; exists r1; rewrite // kr eqxx.
  by apply/existsP; exists r1; apply/existsP; exists u'; rewrite r1t kr ut' ku' !eqxx ps -bE iu' eS.
by case: c {bE} => ->; rewrite ?orbT.
Qed.

Lemma step t r : valid (r :: t) -> full (r :: t) -> [\/ full t, meets t r, case1 t r | case2 t r].
Proof.
move=> vt [r1 [r1' [u [u' [b [r1t r1t' ut ut' F]]]]]].
case: (eqVneq (kk r1) (kk r)) => [k1|k1]; first exact: (step_own vt k1 r1t r1t' ut ut' F).
case: (eqVneq (kk r1') (kk r)) => [k1'|k1'].
  exact: (step_own vt k1' r1t' r1t ut' ut (fits_sym addBB F)).
have tl s : s \in r :: t -> kk s != kk r -> s \in t.
  by rewrite in_cons => /orP[/eqP->|//]; rewrite eqxx.
case/andP: vt => rn vt; case/and5P: F => p /eqP ku /eqP ku' iu /andP[iu' e].
have [t1 t1'] := (tl _ r1t k1, tl _ r1t' k1').
constructor 1; exists r1, r1', u, u', b; split=> //; try by apply: tl; rewrite ?ku ?ku'.
rewrite /fits p ku ku' !eqxx iu iu' /=; move: e.
by rewrite /eqn (sub_stable _ addBB zero_first vt rn t1) ?(sub_stable _ addBB zero_first vt rn t1').
Qed.

End Counting.
