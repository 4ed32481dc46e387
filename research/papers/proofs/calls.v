(* Theorem 1 of an ideal cipher that is drawn whole, and of adversaries who make single calls in any order.

   Such a one becomes an adversary of theorem.v: a call makes a pair, and a key's first call makes one more, of E(0). *)

From mathcomp Require Import all_ssreflect all_fingroup all_algebra.
From Coq Require Import Lia.
From kcxaes Require Import game cipher collision theorem.
Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.
Import Order.TTheory GRing.Theory Num.Theory.
Local Open Scope ring_scope.

(* ── A permutation that takes x to x' and y to y' and moves little else ── *)

Section Swap.

Variable T : finType.
Definition swap (x y x' y' : T) : {perm T} := (tperm x x' * tperm (tperm x x' y) y')%g.

Lemma swap_fst x y x' y' : x != y -> x' != y' -> swap x y x' y' x = x'.
Proof.
move=> xy xy'; rewrite permM tpermL tpermD //; last by rewrite eq_sym.
by apply: contra xy => /eqP E; rewrite -(inj_eq (@perm_inj _ (tperm x x'))) E tpermL.
Qed.

Lemma swap_snd x y x' y' : swap x y x' y' y = y'.
Proof. by rewrite permM tpermL. Qed.

Lemma swap_else x y x' y' w : w != x -> w != y -> w != x' -> w != y' -> swap x y x' y' w = w.
Proof.
move=> wx wy wx' wy'; rewrite permM.
have E : tperm x x' w = w by rewrite tpermD // eq_sym.
rewrite E tpermD //; last by rewrite eq_sym.
by rewrite -E (inj_eq (@perm_inj _ (tperm x x'))) eq_sym.
Qed.

End Swap.

Section Calls.

Variables (R : realFieldType) (key : finType) (B : finZmodType) (D : B) (double : B -> B).
Hypothesis D0 : D != 0.
Hypothesis addBB : forall x : B, x + x = 0.

Notation rec := (cipher.rec key B).
Notation cipher := {ffun key -> {perm B}}.
Implicit Types (r : rec) (t : seq rec) (p : cipher) (k : key).

(* ── Drawing as one asks is drawing all at once ── *)

Lemma neqD (x : B) : x != x + D.
Proof. by rewrite -{1}[x]addr0 (inj_eq (addrI x)) eq_sym. Qed.

Section Pairs.

Variable adv : seq rec -> key * bool * B.
Notation next := (next D adv).
Notation valid := (valid next).

(* What the cipher answers. *)
Definition reply p (a : key * bool * B) : rec :=
  let: (k, f, x) := a in let b := if f then x else (p k)^-1%g x in mk k f b (p k b) (p k (b + D)).
Fixpoint run p n t : seq rec := if n is m.+1 then run p m (reply p (adv t) :: t) else t.

Definition says p r := (p (kk r) (aa r) == z1 r) && (p (kk r) (aa r + D) == z2 r).
Definition agrees p t := all (says p) t.

Lemma says_reply p a : says p (reply p a).
Proof. by case: a => [[k f] x]; rewrite /says /kk /aa /z1 /z2 /= !eqxx. Qed.

Lemma says_next p t r : r \in next t -> says p r = (reply p (adv t) == r).
Proof.
move=> rn; apply/idP/eqP => [|<-]; last exact: says_reply.
have [] := next_adv rn; case: (adv t) => [[k f] x] /= kE fE xE /andP[/eqP a /eqP b].
have -> : (if f then x else (p k)^-1%g x) = aa r.
  by rewrite -xE -fE -kE; case: (fw r) => //; rewrite -a permK.
by apply: rec_eq; rewrite /kk /fw /aa /z1 /z2 /= -?kE -?fE.
Qed.

Lemma agrees_dom p t k x : agrees p t -> x \in dom D k t -> p k x \in ran k t.
Proof.
move=> /allP fp; rewrite !inE => /hasP[r rt /andP[/eqP kE /orP[]/eqP->]]; apply/hasP; exists r => //;
by have /andP[/eqP a /eqP b] := fp r rt; rewrite -kE ?a ?b eqxx /out_pair eqxx ?orbT.
Qed.

Lemma agrees_ran p t k x : agrees p t -> p k x \in ran k t -> x \in dom D k t.
Proof.
move=> /allP fp; rewrite !inE => /hasP[r rt /andP[/eqP kE o]]; apply/hasP; exists r => //.
have /andP[/eqP a /eqP b] := fp r rt; rewrite kE eqxx /=; move: o.
by rewrite /out_pair /in_pair -a -b kE !(inj_eq (@perm_inj _ (p k))).
Qed.

(* What is new has an answer that may follow. *)
Definition new t (a : key * bool * B) := if a.1.2 then a.2 \notin dom D a.1.1 t else a.2 \notin ran a.1.1 t.

Lemma reply_next p t : agrees p t -> new t (adv t) -> reply p (adv t) \in next t.
Proof.
move=> fp; rewrite /next; case: (adv t) => [[k f] x]; rewrite /new /= => nw.
set b := if f then x else _.
have nb : b \notin dom D k t.
  by rewrite /b; case: f nw {b} => // nw; apply: contra nw => /(agrees_dom fp); rewrite permKV.
rewrite inE !eqxx nb /=.
have -> : (if f then aa (mk k f b (p k b) (p k (b + D))) else z1 (mk k f b (p k b) (p k (b + D)))) == x.
  by rewrite /aa /z1 /= /b; case: (f); rewrite ?permKV.
rewrite (inj_eq (@perm_inj _ (p k))) neqD andbT /=.
rewrite (contra (@agrees_ran p t k b fp) nb) /=; apply: contra nb => /(agrees_ran fp).
by rewrite !inE => /hasP[r rt /andP[kr]]; rewrite in_pairD // => ir; apply/hasP; exists r; rewrite ?kr.
Qed.

(* Whatever the answer, as many ciphers give it. *)
Lemma card_agrees_le t r r' : r \in next t -> r' \in next t ->
  (#|[set p : cipher | agrees p (r :: t)]| <= #|[set p : cipher | agrees p (r' :: t)]|)%N.
Proof.
move=> rn rn'; pose si := swap (aa r') (aa r' + D) (aa r) (aa r + D).
pose so := swap (z1 r) (z2 r) (z1 r') (z2 r').
pose g p : cipher := [ffun k => if k == kk r then (si * p k * so)%g else p k].
have gi : injective g.
  move=> p p' /ffunP E; apply/ffunP => k; have := E k; rewrite !ffunE; case: eqP => // _.
  by move/mulIg/mulgI.
rewrite -(card_imset _ gi); apply: subset_leq_card; apply/subsetP => _ /imsetP[p + ->].
have [d a b c] := nextP rn; have [d' a' b' c'] := nextP rn'.
have kE : kk r' = kk r by have [-> _ _] := next_adv rn; have [-> _ _] := next_adv rn'.
have gE x : g p (kk r) x = so (p (kk r) (si x)) by rewrite ffunE eqxx 2!permM.
rewrite !inE /= => /andP[/andP[/eqP pa /eqP pb] /allP ft]; apply/andP; split.
  have [s1 s2] : si (aa r') = aa r /\ si (aa r' + D) = aa r + D by rewrite /si swap_fst ?neqD // swap_snd.
  have [o1 o2] : so (z1 r) = z1 r' /\ so (z2 r) = z2 r' by rewrite /so swap_fst // swap_snd.
  by rewrite /says kE !gE s1 s2 pa pb o1 o2 !eqxx.
rewrite kE in d' a' b'.
apply/allP => s st; have /andP[/eqP sa /eqP sb] := ft s st.
have [ks|ks] := eqVneq (kk s) (kk r); last by rewrite /says !ffunE (negPf ks) sa sb !eqxx.
have nd x : in_pair D s x -> forall y, y \notin dom D (kk r) t -> (x != y) && (x != y + D).
  move=> sx y yd; apply/andP; split; apply: contra yd => /eqP E.
    by rewrite -E; apply: mem_dom st ks sx.
  by apply: mem_dom st ks _; rewrite -(in_pairD _ addBB) -E.
have nr x : out_pair s x -> forall y, y \notin ran (kk r) t -> x != y.
  by move=> sx y; apply: contra => /eqP <-; apply: mem_ran st ks sx.
have i x : in_pair D s x -> si x = x.
  move=> sx; have /andP[e1 e2] := nd x sx _ d; have /andP[e3 e4] := nd x sx _ d'.
  by rewrite /si swap_else.
have o x : out_pair s x -> so x = x by move=> sx; rewrite /so swap_else ?(nr x sx).
rewrite /says ks !gE !i ?/in_pair ?eqxx ?orbT // -ks sa sb.
by rewrite !o ?/out_pair ?eqxx ?orbT.
Qed.

Variable q : nat.
Hypothesis asks : forall p t, agrees p t -> (size t < q)%N -> new t (adv t).

Lemma pr_drawn n E t : valid t -> (size t + n)%N = q ->
  pr R next n E t * #|[set p : cipher | agrees p t]|%:R = #|[set p : cipher | agrees p t && E (run p n t)]|%:R.
Proof.
elim: n t => [|n IH] t vt sq /=.
  case: (E t); last by rewrite mul0r (_ : [set p | _] = set0) ?cards0 //; apply/setP => p; rewrite !inE andbF.
  by rewrite mul1r; congr _%:R; apply: eq_card => p; rewrite !inE andbT.
have lt : (size t < q)%N by rewrite -sq addnS ltnS leq_addr.
have parts (P : pred cipher) : #|[set p : cipher | agrees p t && P p]| =
    (\sum_(r in next t) #|[set p : cipher | agrees p (r :: t) && P p]|)%N.
  rewrite -sum1_card (partition_big (fun p => reply p (adv t)) (mem (next t))) /=; last first.
    by move=> p; rewrite inE => /andP[fp _]; apply: reply_next (asks fp lt).
  apply: eq_bigr => r rn; rewrite -sum1_card; apply: eq_bigl => p.
  by rewrite !inE /= (says_next p rn) andbC andbA.
have all_of s : [set p : cipher | agrees p s] = [set p : cipher | agrees p s && true].
  by apply/setP => p; rewrite !inE andbT.
case: (set_0Vmem (next t)) => [e|[r0 rn0]].
  have z := parts xpredT; rewrite e big_set0 in z.
  have z' := parts (fun p => E (run p n (reply p (adv t) :: t))); rewrite e big_set0 in z'.
  by rewrite all_of z z' mulr0.
have same r : r \in next t -> #|[set p : cipher | agrees p (r :: t)]| = #|[set p : cipher | agrees p (r0 :: t)]|.
  by move=> rn; apply/eqP; rewrite eqn_leq !card_agrees_le.
have n0 : #|next t|%:R != 0 :> R by rewrite pnatr_eq0 -lt0n; apply/card_gt0P; exists r0.
have -> : #|[set p : cipher | agrees p t]| = (#|next t| * #|[set p : cipher | agrees p (r0 :: t)]|)%N.
  rewrite all_of (parts xpredT) -sum_nat_const; apply: eq_bigr => r rn.
  by rewrite -(same r rn); apply: eq_card => p; rewrite !inE; case: (agrees p _).
rewrite natrM mulrA divfK // mulr_suml parts natr_sum; apply: eq_bigr => r rn.
rewrite -(same r rn) IH ?/= ?rn // ?addSn -?addnS //; congr _%:R; apply: eq_card => p; rewrite !inE.
by rewrite -andbA -andbA (says_next p rn); case: eqP => // ->.
Qed.

Lemma pr_cipher E : pr R next q E [::] = #|[set p : cipher | E (run p q [::])]|%:R / #|{: cipher}|%:R.
Proof.
have c0 : #|{: cipher}|%:R != 0 :> R by rewrite pnatr_eq0 -lt0n; apply/card_gt0P; exists [ffun=> 1%g].
apply: (mulIf c0); rewrite divfK //; have := @pr_drawn q E [::] erefl erefl => /=.
by rewrite -cardsT (_ : [set p : cipher | true] = setT) //; apply/setP => p; rewrite !inE.
Qed.

End Pairs.

(* ── Single calls ── *)

(* A call: the key, the input and the output. *)
Notation call := (key * (B * B))%type.
Implicit Types (s : seq call) (c : call).

(* The adversary: the key, whether it is a forward call, and the input (forward) or the output (backward). *)
Variable adv : seq call -> key * bool * B.

Definition oracle p (a : key * bool * B) : call :=
  let: (k, f, x) := a in if f then (k, (x, p k x)) else (k, ((p k)^-1%g x, x)).
Fixpoint calls p n s : seq call := if n is m.+1 then calls p m (oracle p (adv s) :: s) else s.

(* F_com of the cipher, and the adversary who has asked for all that it takes of two keys. *)
Definition last_in p k u v := p k u + v + double (p k 0).
Definition fcom p k u v := (p k (last_in p k u v), p k (last_in p k u v + D)).
Definition asked s k b := has (fun c => (c.1 == k) && (c.2.1 == b)) s.
Definition computed p s k u v :=
  [&& asked s k 0, asked s k u, asked s k (last_in p k u v) & asked s k (last_in p k u v + D)].
Definition found p s : bool :=
  [exists k, exists k', exists u, exists v,
    [&& k != k', computed p s k u v, computed p s k' u v & fcom p k u v == fcom p k' u v]].

(* ── The adversary of pairs who plays him ── *)

(* What the pairs say of a call. *)
Definition known t (a : key * bool * B) : option call :=
  let: (k, f, x) := a in
  if f then omap (fun y => (k, (x, y))) (enc D t k x)
  else omap (fun b => (k, (b, x))) [pick b | enc D t k b == Some x].

Definition has_key t k := has (fun r => kk r == k) t.

(* His first call that the pairs do not answer; with all answered, something that is new. *)
Variable key0 : key.
Fixpoint pending t n s : key * bool * B :=
  if n is m.+1 then if known t (adv s) is Some c then pending t m (c :: s) else adv s
  else let k := if t is r :: _ then kk r else key0 in (k, true, odflt 0 [pick x | x \notin dom D k t]).

Variable q : nat.
Definition pairs t : key * bool * B :=
  let: (k, f, x) := pending t q [::] in if has_key t k then (k, f, x) else (k, true, 0).

Lemma pairs_zero_first t : ~~ has (fun r => kk r == (pairs t).1.1) t -> (pairs t).1.2 /\ (pairs t).2 = 0.
Proof. by rewrite /pairs; case: (pending t q [::]) => [[k f] x]; case: ifP => //= u; rewrite -/(has_key t k) u. Qed.

Lemma enc_agrees p t k x : agrees p t -> x \in dom D k t -> enc D t k x = Some (p k x).
Proof.
move=> /allP ag /(dom_enc D0); case e: (enc D t k x) => [y|]; last by rewrite eqxx.
move=> _; have := encE D0 e; case => // r rt [<- ir ->]; congr Some.
have /andP[/eqP a /eqP b] := ag r rt; case/orP: ir => /eqP->; first by rewrite out_aa a.
by rewrite out_aaD // b.
Qed.

Lemma enc_dom t k x y : enc D t k x = Some y -> x \in dom D k t.
Proof. by case/(encE D0) => r rt [kr ir _]; apply: mem_dom rt kr ir. Qed.

Definition knows t c := c.2.1 \in dom D c.1 t.

Lemma knownE p t a : agrees p t ->
  known t a = if knows t (oracle p a) then Some (oracle p a) else None.
Proof.
case: a => [[k [] x] ag]; rewrite /knows /=.
  case: ifP => [xd|/negbT xd]; first by rewrite (enc_agrees ag xd).
  by case e: (enc D t k x) => [y|] //; rewrite (enc_dom e) in xd.
case: pickP => [b /eqP e|no] /=.
  have bd := enc_dom e; move: e; rewrite (enc_agrees ag bd) => -[<-].
  by rewrite permK bd.
case: ifP => // bd; have := no ((p k)^-1%g x); by rewrite (enc_agrees ag bd) permKV eqxx.
Qed.

Lemma calls_sub p n s c : c \in s -> c \in calls p n s.
Proof. by elim: n s => //= n IH s cs; apply: IH; rewrite inE cs orbT. Qed.

(* Either a call is pending, which he makes, or all are answered. *)
Lemma pendingP p t n s : agrees p t -> all (knows t) s ->
  (exists s', [/\ pending t n s = adv s', oracle p (adv s') \in calls p n s & ~~ knows t (oracle p (adv s'))])
  \/ (pending t n s = pending t 0 [::] /\ all (knows t) (calls p n s)).
Proof.
move=> ag; elim: n s => [|n IH] s ks /=; first by right.
rewrite (knownE _ ag); case: ifP => [kn|/negbT nk]; first by apply: IH; rewrite /= kn.
by left; exists s; split=> //; apply: calls_sub; rewrite mem_head.
Qed.

Hypothesis room : (4 * q < #|B|)%N.

Lemma pairs_ask p t : agrees p t -> (size t < 2 * q)%N -> new t (pairs t).
Proof.
move=> ag lt; have := @pendingP p t q [::] ag isT; rewrite /pairs.
case pE: (pending t q [::]) => [[k f] x] P; case: ifP => [_|/negbT u]; last first.
  by rewrite /new /=; apply: contra u; rewrite inE; apply: sub_has => r /andP[].
case: P => [[s [aE _ nk]]|[aE _]].
  move: nk; rewrite -aE /knows /new; case: (f) => //=; apply: contra => xr.
  by apply: (agrees_ran ag); rewrite permKV.
case: aE => -> -> ->; rewrite /new /=; set k' := if t is _ :: _ then _ else _.
case: pickP => [y|no] //=; have : (0 < #|~: dom D k' t|)%N.
  rewrite cardsCs setCK subn_gt0; apply: leq_ltn_trans (card_dom D k' t) (leq_trans _ (ltnW room)).
  by rewrite -[4%N]/(2 * 2)%N -mulnA ltn_mul2l.
by case/card_gt0P => y; rewrite in_setC (no y).
Qed.

(* ── 2 q pairs are enough ── *)

Definition progress t s := (count (fun c => has_key t c.1) s + count (knows t) s)%N.

Lemma count_lt (T : eqType) (P Q : pred T) (l : seq T) z : (forall x, P x -> Q x) -> z \in l -> ~~ P z -> Q z ->
  (count P l < count Q l)%N.
Proof.
move=> PQ zl nP Qz; have -> : count Q l = (count P l + count (predD Q P) l)%N.
  by elim: l {zl} => //= x l ->; case: (P x) (PQ x) => [-> //|_] /=; case: (Q x); rewrite /= ?add0n ?add1n ?addnS.
by rewrite -addn1 leq_add2l -has_count; apply/hasP; exists z; rewrite //= nP.
Qed.

Lemma has_key_cons r t k : has_key t k -> has_key (r :: t) k.
Proof. by rewrite /has_key /= => ->; rewrite orbT. Qed.

Lemma knows_cons r t c : knows t c -> knows (r :: t) c.
Proof. by rewrite /knows !inE /= => ->; rewrite orbT. Qed.

Lemma knows_key t c : knows t c -> has_key t c.1.
Proof. by rewrite /knows inE; apply: sub_has => r /andP[]. Qed.

Lemma progress_step p t : agrees p t ->
  (minn (2 * size (calls p q [::])) (progress t (calls p q [::])).+1 <=
     progress (reply p (pairs t) :: t) (calls p q [::]))%N.
Proof.
move=> ag; have P := @pendingP p t q [::] ag isT; set s := calls p q [::] in P *.
have m1 := sub_count (fun c => @has_key_cons (reply p (pairs t)) t c.1) s.
have m2 := sub_count (fun c => @knows_cons (reply p (pairs t)) t c) s.
case: P => [[s' [aE cs nk]]|[_ al]]; last first.
  have al' : all (fun c => has_key t c.1) s by apply: sub_all al => c; apply: knows_key.
  rewrite geq_min mul2n -addnn; apply/orP; left; apply: leq_add.
    by apply: leq_trans m1; move: al'; rewrite all_count => /eqP->.
  by apply: leq_trans m2; move: al; rewrite all_count => /eqP->.
rewrite geq_min; apply/orP; right; rewrite /progress.
set c := oracle p (adv s') in cs nk.
have kc : c.1 = (adv s').1.1 by rewrite /c; case: (adv s') => [[k []] x].
have kr : kk (reply p (pairs t)) = c.1.
  by rewrite kc /pairs aE; case: (adv s') => [[k f] x] /=; case: ifP.
case u: (has_key t c.1).
  rewrite -addnS; apply: leq_add m1 _; apply: (count_lt (fun c => @knows_cons _ t c) cs nk).
  rewrite /knows; apply: mem_dom (mem_head _ _) kr _.
  rewrite /pairs aE /c; move: u; rewrite /c; case: (adv s') => [[k f] x] u.
  have -> : has_key t k by move: u; case: (f).
  by case: (f); rewrite /in_pair /aa /= eqxx.
rewrite -addSn; apply: leq_add _ m2; apply: (count_lt _ cs); rewrite ?u //.
  by move=> c'; apply: has_key_cons.
by rewrite /has_key /= kr eqxx.
Qed.

Lemma run_agrees p n t : agrees p t -> agrees p (run pairs p n t).
Proof. by elim: n t => //= n IH t ag; apply: IH; rewrite /= says_reply. Qed.

Lemma size_calls p n s : size (calls p n s) = (n + size s)%N.
Proof. by elim: n s => //= n IH s; rewrite IH addnS. Qed.

Lemma run_knows p : all (knows (run pairs p (2 * q) [::])) (calls p q [::]).
Proof.
set s := calls p q [::].
have ss : size s = q by rewrite size_calls addn0.
have G n t : agrees p t -> (minn (2 * size s) (progress t s + n) <= progress (run pairs p n t) s)%N.
  elim: n t => [|n IH] t ag /=; first by rewrite addn0 geq_minr.
  apply: leq_trans (IH _ _); last by rewrite /= says_reply.
  have st := progress_step ag; rewrite leq_min geq_minl /=.
  move: st; rewrite -/s; case: (leqP (2 * size s) (progress t s).+1) => h st.
    by apply: leq_trans (geq_minl _ _) (leq_trans st (leq_addr _ _)).
  by apply: leq_trans (geq_minr _ _) _; rewrite addnS -addSn leq_add2r.
have := G (2 * q)%N [::] isT; rewrite ss => H.
have {}H : (q + q <= progress (run pairs p (2 * q) [::]) s)%N.
  by rewrite addnn -mul2n; apply: leq_trans H; rewrite leq_min leqnn leq_addl.
rewrite all_count eqn_leq count_size /= ss -(leq_add2l q); apply: leq_trans H _.
by rewrite leq_add2r -ss count_size.
Qed.

Lemma found_collision p : found p (calls p q [::]) -> collision D double (run pairs p (2 * q) [::]).
Proof.
set t := run _ _ _ _; have ag : agrees p t by apply: run_agrees.
have kn k b : asked (calls p q [::]) k b -> enc D t k b = Some (p k b).
  case/hasP=> c cs /andP[/eqP <- /eqP <-]; apply: (enc_agrees ag).
  exact: (allP (run_knows p)).
have cE k u v : computed p (calls p q [::]) k u v -> com D double t k u v = Some (fcom p k u v).
  case/and4P => /kn a /kn b /kn c /kn d.
  by rewrite /com a b -/(last_in p k u v) c d.
case/existsP=> k /existsP[k' /existsP[u /existsP[v /and4P[kk' /cE c /cE c' /eqP e]]]].
apply/existsP; exists k; apply/existsP; exists k'; apply/existsP; exists u; apply/existsP; exists v.
by rewrite kk' c c' e eqxx.
Qed.

Lemma found_le : #|[set p : cipher | found p (calls p q [::])]|%:R / #|{: cipher}|%:R <=
  pr R (next D pairs) (2 * q) (collision D double) [::].
Proof.
rewrite (pr_cipher pairs_ask) ler_wpmul2r ?invr_ge0 ?ler0n // ler_nat.
by apply: subset_leq_card; apply/subsetP => p; rewrite !inE; apply: found_collision.
Qed.

End Calls.

(* ── On bit strings of n bits, with any way to make K1 of E_K(0) ── *)

Section Bits.

Variables (n q beta : nat) (key : finType) (D : 'rV['F_2]_n) (double : 'rV['F_2]_n -> 'rV['F_2]_n).
Notation block := [finZmodType of 'rV['F_2]_n].
Variable adv : seq (key * (block * block)) -> key * bool * block.

Notation N := ((2 ^ n - 4 * q)%:R : rat).
Notation ciphers := {ffun key -> {perm block}}.

(* Of all ciphers, those with which q calls find a collision. Each bound is theorem 1's of 2 q pairs. *)
Theorem theorem_1_calls : D != 0 -> (4 * q < 2 ^ n)%N -> (0 < beta)%N ->
  #|[set p : ciphers | found D double p (calls adv p q [::])]|%:R / #|{: ciphers}|%:R <=
    ((2 * q) * 'C((2 * q).-1, beta))%:R / N ^+ beta + (2 * beta.-1 * (2 * q))%:R / N + (6 * 'C(2 * q, 2))%:R / N ^+ 2.
Proof.
move=> D0 room b0.
have cB : #|block| = (2 ^ n)%N by rewrite card_matrix card_Fp // mul1n.
have addBB (x : block) : x + x = 0 by apply/rowP => i; rewrite !mxE addrr_char2 // char_Fp.
have room' : (4 * q < #|block|)%N by rewrite cB.
have e : (4 * q = 2 * (2 * q))%N by rewrite mulnA.
case: (pickP (fun _ : key => true)) => [k0 _|no]; last first.
  rewrite (_ : [set p | _] = set0) ?cards0 ?mul0r ?addr_ge0 ?divr_ge0 ?exprn_ge0 ?ler0n //.
  by apply/setP => p; rewrite !inE; apply/negbTE/negP => /existsP[k _]; have := no k.
apply: le_trans (found_le rat_realFieldType double D0 addBB adv k0 room') _.
by rewrite e; apply: theorem_1_sharper => //; [rewrite -e|apply: pairs_zero_first].
Qed.

End Bits.

(* ── The paper's number: 2^-44 after 2^80 calls, n = 128 ── *)

Lemma bin_le_exp a k : ('C(a, k) <= a ^ k)%N.
Proof.
apply: (@leq_trans (a ^_ k)); first by rewrite -bin_ffact leq_pmulr ?fact_gt0.
elim: k => [|k IH] //; rewrite ffactnSr expnSr leq_mul ?leq_subr //.
Qed.

Ltac arith := apply/ssrnat.leP; rewrite -?subn1 -?multE -?plusE -?minusE; lia.

(* The bound of 2^e calls, n = e + 48 and beta = 3: of 16 parts of 2^-44 its terms have 1, 12 and 1.
   The exponents are variables, lest Coq count to 2^44. *)
Lemma bound_2_to_44 (n e c d q N : nat) :
    d = 44%N -> c = d.+4 -> n = (e + c)%N -> (e <= 80)%N -> q = (2 ^ e)%N -> N = (2 ^ n - 4 * q)%N ->
  (2 * q * 'C((2 * q).-1, 3))%:R / N%:R ^+ 3 + (2 * 2 * (2 * q))%:R / N%:R + (6 * 'C(2 * q, 2))%:R / N%:R ^+ 2
    < 1 / 2%:R ^+ d :> rat.
Proof.
move=> dE cE nE /ssrnat.leP e80 qE NE; have q2 : (2 * q = 2 ^ e.+1)%N by rewrite qE expnS.
have q4 : (4 * q = 2 ^ e.+2)%N by rewrite qE !expnS mulnA.
have {}NE : (N + 2 ^ e.+2 = 2 ^ n)%N by rewrite NE q4 subnK // leq_exp2l // nE cE dE; arith.
have e2 : (2 ^ n = 2 * 2 ^ n.-1)%N by rewrite -expnS prednK // nE cE addnS.
have le2 : (2 ^ e.+2 <= 2 ^ n.-1)%N by rewrite leq_exp2l // nE cE dE; arith.
have Nge : (2 ^ n.-1 <= N)%N by rewrite -(leq_add2r (2 ^ e.+2)) NE e2 mul2n -addnn leq_add2l.
have N0 : (0 < N)%N by apply: leq_trans Nge; rewrite expn_gt0.
have part (a b m : nat) : (a * 2 ^ c <= b * N ^ m)%N -> a%:R / N%:R ^+ m <= b%:R / 2%:R ^+ c :> rat.
  move=> le; rewrite ler_pdivr_mulr ?exprn_gt0 ?ltr0n // mulrAC ler_pdivl_mulr ?exprn_gt0 ?ltr0n //.
  by rewrite -!natrX -!natrM ler_nat.
have t1 : (2 * q * 'C((2 * q).-1, 3))%:R / N%:R ^+ 3 <= 1%:R / 2%:R ^+ c :> rat.
  apply: part; rewrite mul1n; apply: (@leq_trans (2 ^ (e.+1 * 4) * 2 ^ c)).
    rewrite leq_mul2r; apply/orP; right; rewrite expnM -q2 [X in (_ <= X)%N]expnS leq_mul2l; apply/orP; right.
    by apply: leq_trans (bin_le_exp _ _) _; rewrite leq_exp2r // leq_pred.
  apply: (@leq_trans ((2 ^ n.-1) ^ 3)); last by rewrite leq_exp2r.
  by rewrite -expnD -expnM leq_exp2l // nE cE dE; arith.
have t3 : (6 * 'C(2 * q, 2))%:R / N%:R ^+ 2 <= 1%:R / 2%:R ^+ c :> rat.
  apply: part; rewrite mul1n; apply: (@leq_trans (2 ^ 3 * 2 ^ (e.+1 * 2) * 2 ^ c)).
    rewrite leq_mul2r; apply/orP; right; apply: leq_mul => //.
    by rewrite expnM -q2; apply: bin_le_exp.
  apply: (@leq_trans ((2 ^ n.-1) ^ 2)); last by rewrite leq_exp2r.
  by rewrite -!expnD -expnM leq_exp2l // nE cE dE; arith.
have t2 : (2 * 2 * (2 * q))%:R / N%:R <= 12%:R / 2%:R ^+ c :> rat.
  rewrite -[N%:R]expr1; apply: part; rewrite expn1 q2.
  have e3 : (2 * 2 * 2 ^ e.+1 * 2 ^ c = 8 * 2 ^ n)%N.
    by rewrite -[(2 * 2)%N]/(2 ^ 2)%N -[8%N]/(2 ^ 3)%N -!expnD nE; congr (_ ^ _)%N; rewrite -?plusE; lia.
  have le4 : (2 ^ 4 * 2 ^ e.+2 <= 2 ^ n)%N by rewrite -expnD leq_exp2l // nE cE dE; arith.
  rewrite e3 -(leq_add2r (12 * 2 ^ e.+2)) -mulnDr NE (_ : 12 = 8 + 4)%N // [X in (_ <= X)%N]mulnDl leq_add2l.
  apply: leq_trans (leq_trans le4 _); first by rewrite leq_mul2r; apply/orP; right.
  by rewrite leq_pmull.
apply: (@le_lt_trans _ _ (1%:R / 2%:R ^+ c + 12%:R / 2%:R ^+ c + 1%:R / 2%:R ^+ c)).
  by apply: ler_add t3; apply: ler_add t1 t2.
have -> : c = (d + 4)%N by rewrite cE addn4.
rewrite -!mulrDl -!natrD ltr_pdivr_mulr ?exprn_gt0 ?ltr0n // exprD mulrA.
by rewrite divfK ?expf_neq0 ?pnatr_eq0 // -natrX ltr_nat.
Qed.

Section Number.

Variables (n e : nat) (key : finType) (D : 'rV['F_2]_n) (double : 'rV['F_2]_n -> 'rV['F_2]_n).
Notation block := [finZmodType of 'rV['F_2]_n].
Variable adv : seq (key * (block * block)) -> key * bool * block.
Notation ciphers := {ffun key -> {perm block}}.

Lemma leaving_48_bits : D != 0 -> n = (e + 48)%N -> (e <= 80)%N ->
  #|[set p : ciphers | found D double p (calls adv p (2 ^ e) [::])]|%:R / #|{: ciphers}|%:R < 1 / 2%:R ^+ 44 :> rat.
Proof.
move=> D0 nE e80; apply: le_lt_trans (bound_2_to_44 erefl erefl nE e80 erefl erefl).
apply: (@theorem_1_calls n (2 ^ e) 3 key D double adv D0) => //.
by rewrite -[4%N]/(2 ^ 2)%N -expnD ltn_exp2l // nE; arith.
Qed.

End Number.

Notation block_128 := [finZmodType of 'rV['F_2]_128].

Theorem after_2_to_80_calls (key : finType) (D : block_128) (double : block_128 -> block_128)
    (adv : seq (key * (block_128 * block_128)) -> key * bool * block_128) : D != 0 ->
  #|[set p : {ffun key -> {perm block_128}} | found D double p (calls adv p (2 ^ 80) [::])]|%:R
    / #|{: {ffun key -> {perm block_128}}}|%:R < 1 / 2%:R ^+ 44 :> rat.
Proof. by move=> D0; exact (@leaving_48_bits 128 80 key D double adv D0 erefl erefl). Qed.

About theorem_1_calls.
Print Assumptions theorem_1_calls.
About after_2_to_80_calls.
Print Assumptions after_2_to_80_calls.
