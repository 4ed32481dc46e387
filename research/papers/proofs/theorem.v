(* Theorem 1 of P. Kampanakis, S. Halevi, N. Ebeid, M. Campagna, Blockcipher-Based Key Commitment for Nonce-Derived
   Schemes, eprint 2025/758, with 6 C(q, 2) for its 3 C(q, 2). README.md has what is modelled and what is not. *)

From mathcomp Require Import all_ssreflect all_algebra.
From kcxaes Require Import game cipher collision counting neighbours.
Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.
Import Order.TTheory GRing.Theory Num.Theory.
Local Open Scope ring_scope.

Section Theorem1.

Variables (R : realFieldType) (key : finType) (B : finZmodType) (D : B) (double : B -> B).
Hypothesis D0 : D != 0.
Hypothesis addBB : forall x : B, x + x = 0.

Notation rec := (cipher.rec key B).
Implicit Types (r : rec) (t : seq rec).

Variable adv : seq rec -> key * bool * B.
Hypothesis zero_first : forall t, ~~ has (fun r => kk r == (adv t).1.1) t -> (adv t).1.2 /\ (adv t).2 = 0.

Notation next := (next D adv).
Notation valid := (valid next).
Notation forward := (ever (@meets key B)).

Variables q beta : nat.
Hypothesis room : (2 * q < #|B|)%N.
Hypothesis b0 : (0 < beta)%N.
Notation M := (M B q).

Let MR_gt0 : 0 < M%:R :> R := MR_gt0 R room.

Lemma lemma_1 : pr R next q forward [::] <= (2 * 'C(q, 2))%:R / M%:R ^+ 2.
Proof.
pose e i : R := (2 * i)%:R / M%:R ^+ 2.
rewrite (_ : _ / _ = \sum_(0 <= i < q) e i); last first.
  by rewrite -mulr_suml -natr_sum -big_distrr /= triangular_sum.
apply: ever_le => [i|t vt lt]; first by rewrite divr_ge0 ?ler0n ?exprn_ge0 ?ler0n.
case: (set_0Vmem (next t)) => [->|[r rn]].
  rewrite cards0 mulr0 (_ : [set x in _ | _] = set0) ?cards0 //.
  by apply/setP => x; rewrite !inE.
rewrite /e mulrAC ler_pdivl_mulr ?exprn_gt0 // -natrX -!natrM ler_nat.
by rewrite leq_mul ?card_meets // expnS expn1 (card_next lt rn).
Qed.

(* What completes a collision of a key that is in few partial collisions. *)
Definition completes t r := (col (kk r) t < beta)%N && case1 D double t r || case2 D double t r.

Lemma card_completes t : valid t -> (size t < q)%N ->
  (#|[set r in next t | completes t r]| * (M * M) <= (2 * beta.-1 * M + 4 * size t) * #|next t|)%N.
Proof.
move=> vt lt; case: (set_0Vmem (next t)) => [->|[r0 rn0]].
  rewrite cards0 muln0 (_ : [set x in _ | _] = set0) ?cards0 //.
  by apply/setP => x; rewrite !inE.
rewrite mulnDl; apply: card_or; last first.
  apply: (@leq_trans ((4 * size t) * (M * M))); last first.
    by rewrite leq_mul2l (card_next lt rn0) orbT.
  rewrite leq_mul2r; apply/orP; right; rewrite mulnC -[X in (X <= _)%N]muln1.
  apply: card_has => u ut; apply: (@card_or _ _ _ _ 1 1 3); first by rewrite muln1 card_hita.
  apply: (@card_or _ _ _ _ 1 1 2); first by rewrite muln1 card_hita.
  by apply: (@card_or _ _ _ _ 1 1 1); rewrite muln1 card_hitb.
pose s := filter (neighbour (adv t).1.1 t) t.
have sub : [set r in next t | (col (kk r) t < beta)%N && case1 D double t r] \subset
    [set r in next t | (col (adv t).1.1 t < beta)%N
      && has (fun p => hit1 D double t r p true || hit1 D double t r p false) s].
  apply/subsetP => r; rewrite !inE => /andP[rn /andP[cb /hasP[p pt h]]].
  have [kr _ _] := next_adv rn; rewrite rn -kr cb; apply/hasP; exists p => //.
  by rewrite mem_filter pt -kr andbT; case/orP: h => /andP[].
rewrite mulnA; apply: (@leq_trans ((2 * beta.-1 * #|next t|) * M)); last by rewrite mulnAC.
rewrite leq_mul2r; apply/orP; right; apply: leq_trans (leq_mul (subset_leq_card sub) (leqnn M)) _.
case: (ltnP (col (adv t).1.1 t) beta) => cb /=; last first.
  rewrite (_ : [set r in _ | _] = set0) ?cards0 //; apply/setP => x; rewrite !inE.
  by rewrite andbF.
apply: (@leq_trans (size s * (#|next t| + #|next t|))); last first.
  rewrite addnn -mul2n mulnA leq_mul2r; apply/orP; right; rewrite mulnC leq_mul2l /=.
  by rewrite size_filter -ltnS prednK.
apply: card_has => p; rewrite mem_filter => /andP[_ pt].
by apply: card_or; apply: card_hit1.
Qed.

Lemma lemma_3 : pr R next q (ever completes) [::]
  <= (2 * beta.-1 * q)%:R / M%:R + (4 * 'C(q, 2))%:R / M%:R ^+ 2.
Proof.
pose e i : R := (2 * beta.-1)%:R / M%:R + (4 * i)%:R / M%:R ^+ 2.
rewrite (_ : _ + _ = \sum_(0 <= i < q) e i); last first.
  rewrite big_split /= sumr_const_nat subn0 -mulr_suml -natr_sum -big_distrr /= triangular_sum.
  by congr (_ + _); rewrite -[RHS]mulr_natr [RHS]mulrAC -natrM.
apply: ever_le => [i|t vt lt].
  by rewrite addr_ge0 // divr_ge0 ?ler0n ?exprn_ge0 ?ler0n.
have MM : 0 < M%:R ^+ 2 :> R by rewrite exprn_gt0.
have -> : e (size t) = (2 * beta.-1 * M + 4 * size t)%:R / M%:R ^+ 2.
  by rewrite natrD mulrDl natrM expr2 -mulf_div mulfV ?mulr1 ?gt_eqF.
rewrite mulrAC ler_pdivl_mulr // -natrX -!natrM ler_nat expnS expn1.
exact: card_completes.
Qed.

Lemma col_cons k t r : (col k t <= col k (r :: t))%N.
Proof.
rewrite /col /=; apply: (@leq_trans (count (neighbour k (r :: t)) t)); last exact: leq_addl.
by apply: sub_count => x; rewrite /neighbour /= => /andP[-> ->]; rewrite orbT.
Qed.

Lemma full_completed t : valid t -> full D double t -> ~~ forward t -> (forall k, col k t < beta)%N -> ever completes t.
Proof.
elim: t => [_ [r [? [? [? [? []]]]]]|r t IH vt F /=] //.
rewrite negb_or => /andP[nm nf] cb.
have cb' k : (col k t < beta)%N by apply: leq_ltn_trans (col_cons k t r) (cb k).
have vt' : valid t by case/andP: vt.
case: (step addBB zero_first vt F) => [F'|m|c|c]; first by rewrite IH ?orbT.
- by rewrite m in nm.
- by rewrite /completes cb' c.
by rewrite /completes c orbT.
Qed.

Lemma collision_le : pr R next q (collision D double) [::] <=
  (q * 'C(q.-1, beta))%:R / M%:R ^+ beta + (2 * beta.-1 * q)%:R / M%:R + (6 * 'C(q, 2))%:R / M%:R ^+ 2.
Proof.
pose E t := forward t || (crowded beta t || ever completes t).
apply: (@le_trans _ _ (pr R next q E [::])).
  apply: pr_mono => t vt _ /(collision_full D0 addBB vt) F; rewrite /E /crowded.
  case nf: (forward t) => //=; case: existsP => //= nc; apply: full_completed => //; first by rewrite nf.
  by move=> k; rewrite ltnNge; apply/negP => kb; apply: nc; exists k.
apply: le_trans (pr_or _ _ _ _ _ _) _.
apply: (@le_trans _ _ ((2 * 'C(q, 2))%:R / M%:R ^+ 2 + ((q * 'C(q.-1, beta))%:R / M%:R ^+ beta
   + ((2 * beta.-1 * q)%:R / M%:R + (4 * 'C(q, 2))%:R / M%:R ^+ 2)))).
  apply: ler_add lemma_1 (le_trans (pr_or _ _ _ _ _ _) _).
  by apply: ler_add lemma_3; apply: lemma_2.
rewrite (_ : 6 = 2 + 4)%N // mulnDl natrD mulrDl.
by rewrite addrC -!addrA [X in _ + (_ + X)]addrC lexx.
Qed.

End Theorem1.

(* The model is no empty one: what is not known yet has an answer. *)
Lemma next_ask (key : finType) (B : finZmodType) (D : B) (adv : seq (rec key B) -> key * bool * B) (q : nat) t :
    (2 * q < #|B|)%N -> (size t < q)%N ->
    (if (adv t).1.2 then (adv t).2 \notin dom D (adv t).1.1 t else (adv t).2 \notin ran (adv t).1.1 t) ->
  next D adv t != set0.
Proof.
move=> lt st; case advE: (adv t) => [[k f] x] /= new.
have M0 : (0 < M B q)%N by rewrite subn_gt0.
have some (S : {set B}) y : (#|S| <= 2 * size t)%N -> exists z, (z \notin S) && (z != y).
  move=> cS; have : (0 < #|~: (y |: S)|)%N by apply: leq_trans M0 (cipher.room _ cS st).
  by case/card_gt0P=> z; rewrite !inE negb_or => /andP[zy zS]; exists z; rewrite zS.
case: f new advE => new advE.
  have [y /andP[yr _]] := some _ 0 (card_ran k t); have [z /andP[zr zy]] := some _ y (card_ran k t).
  by apply/set0Pn; exists (mk k true x y z); rewrite /next advE inE !eqxx new yr zr eq_sym zy.
have [y /andP[yr _]] := some _ 0 (card_dom D k t); have [z /andP[zr zy]] := some _ x (card_ran k t).
by apply/set0Pn; exists (mk k false y x z); rewrite /next advE inE !eqxx new yr zr eq_sym zy.
Qed.

(* Then the probabilities are those of something that happens. *)
Lemma pr_all (R : realFieldType) (rec : finType) (next : seq rec -> {set rec}) q :
  (forall t, valid next t -> (size t < q)%N -> next t != set0) -> pr R next q xpredT [::] = 1.
Proof.
move=> ne; suff H n t : valid next t -> (size t + n)%N = q -> pr R next n xpredT t = 1 by apply: H.
elim: n t => [|n IH] t vt sq //=.
have lt : (size t < q)%N by rewrite -sq addnS ltnS leq_addr.
rewrite (eq_bigr (fun=> 1)); last by move=> r rn; apply: IH; rewrite /= ?rn // addSn -addnS.
by rewrite sumr_const divff // pnatr_eq0 cards_eq0 ne.
Qed.

(* ── On bit strings of n bits, with any way to make K1 of E_K(0) ── *)

Section Bits.

Variables (n q beta : nat) (key : finType) (D : 'rV['F_2]_n) (double : 'rV['F_2]_n -> 'rV['F_2]_n).
Variable adv : seq (rec key [finZmodType of 'rV['F_2]_n]) -> key * bool * 'rV['F_2]_n.
Hypothesis D0 : D != 0.
Hypothesis room : (2 * q < 2 ^ n)%N.
Hypothesis b0 : (0 < beta)%N.
Hypothesis zero_first : forall t, ~~ has (fun r => kk r == (adv t).1.1) t -> (adv t).1.2 /\ (adv t).2 = 0.

Notation N := ((2 ^ n - 2 * q)%:R : rat).

(* With half of the paper's second term. *)
Theorem theorem_1_sharper :
  pr rat_realFieldType (next D adv) q (collision D double) [::] <=
    (q * 'C(q.-1, beta))%:R / N ^+ beta + (2 * beta.-1 * q)%:R / N + (6 * 'C(q, 2))%:R / N ^+ 2.
Proof.
have cB : #|[finZmodType of 'rV['F_2]_n]| = (2 ^ n)%N by rewrite card_matrix card_Fp // mul1n.
have addBB (x : 'rV['F_2]_n) : x + x = 0 by apply/rowP => i; rewrite !mxE addrr_char2 // char_Fp.
have room' : (2 * q < #|[finZmodType of 'rV['F_2]_n]|)%N by rewrite cB.
by have := collision_le rat_realFieldType double D0 addBB zero_first room' b0; rewrite /M cB.
Qed.

Theorem theorem_1 :
  pr rat_realFieldType (next D adv) q (collision D double) [::] <=
    (q * 'C(q.-1, beta))%:R / N ^+ beta + (4 * beta.-1 * q)%:R / N + (6 * 'C(q, 2))%:R / N ^+ 2.
Proof.
apply: le_trans theorem_1_sharper _.
by rewrite ler_add2r ler_add2l ler_wpmul2r ?invr_ge0 ?ler0n // ler_nat -!mulnA leq_mul2r orbT.
Qed.

End Bits.

About theorem_1.
Print Assumptions theorem_1_sharper.
Print Assumptions theorem_1.
