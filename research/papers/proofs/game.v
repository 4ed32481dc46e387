(* Adaptive games: an adversary asks, and answers are drawn uniformly from those that there may be.

   A transcript is the list of records so far, the newest first. [next t] is the set of records that may follow t: the
   adversary's question, which he chooses by t, with each answer to it. An adversary who draws by chance is a mixture of
   these, so the bounds are his, too. *)

From mathcomp Require Import all_ssreflect all_algebra.
Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.
Import Order.TTheory GRing.Theory Num.Theory.
Local Open Scope ring_scope.

Section Game.

Variables (R : realFieldType) (rec : finType) (next : seq rec -> {set rec}).
Implicit Types (t : seq rec) (r : rec) (E : pred (seq rec)).

(* The probability of E after n more records. Where no record can follow, it is 0. *)
Fixpoint pr (n : nat) E t : R :=
  if n is m.+1 then (\sum_(r in next t) pr m E (r :: t)) / #|next t|%:R else (E t)%:R.

Fixpoint valid t : bool := if t is r :: t' then (r \in next t') && valid t' else true.

Lemma pr_ge0 n E t : 0 <= pr n E t.
Proof.
elim: n t => [|n IH] t /=; first by rewrite ler0n.
by rewrite divr_ge0 ?ler0n // sumr_ge0.
Qed.

(* What is at least E in the end, and does not grow on the average, bounds the probability. *)
Lemma pr_le q E (V : seq rec -> R) :
    (forall t, valid t -> size t = q -> (E t)%:R <= V t) ->
    (forall t, valid t -> 0 <= V t) ->
    (forall t, valid t -> (size t < q)%N -> \sum_(r in next t) V (r :: t) <= #|next t|%:R * V t) ->
  pr q E [::] <= V [::].
Proof.
move=> VE V0 Vstep.
suff H n t : valid t -> (size t + n)%N = q -> pr n E t <= V t by apply: H.
elim: n t => [|n IH] t vt; first by rewrite addn0 => /(VE t vt).
move=> sq /=.
have lt : (size t < q)%N by rewrite -sq addnS ltnS leq_addr.
have [->|ne] := eqVneq #|next t| 0%N; first by rewrite invr0 mulr0 V0.
rewrite ler_pdivr_mulr ?ltr0n ?lt0n // mulrC (le_trans _ (Vstep t vt lt)) //.
apply: ler_sum => r rn; apply: IH; first by rewrite /= rn.
by rewrite /= addSn -addnS.
Qed.

Lemma pr_mono q E E' :
    (forall t, valid t -> size t = q -> E t -> E' t) -> pr q E [::] <= pr q E' [::].
Proof.
move=> H; suff G n t : valid t -> (size t + n)%N = q -> pr n E t <= pr n E' t by apply: G.
elim: n t => [|n IH] t vt sq /=.
  by rewrite ler_nat; move: sq; rewrite addn0 => /(H t vt); case: (E t) => // ->.
rewrite ler_wpmul2r ?invr_ge0 ?ler0n //; apply: ler_sum => r rn.
by apply: IH; rewrite /= ?rn // addSn -addnS.
Qed.

Lemma pr_or n E E' t : pr n (fun t => E t || E' t) t <= pr n E t + pr n E' t.
Proof.
elim: n t => [|n IH] t /=; first by rewrite -natrD ler_nat; case: (E t); case: (E' t).
rewrite -mulrDl ler_wpmul2r ?invr_ge0 ?ler0n // -big_split.
by apply: ler_sum => r _; apply: IH.
Qed.

Lemma pr_exists n (I : finType) (E : I -> pred (seq rec)) t :
  pr n (fun t => [exists i, E i t]) t <= \sum_i pr n (E i) t.
Proof.
elim: n t => [|n IH] t /=.
  case: existsP => [[i Ei]|_]; last by apply: sumr_ge0 => i _; rewrite ler0n.
  by rewrite (bigD1 i) //= Ei ler_addl sumr_ge0 // => j _; rewrite ler0n.
rewrite -mulr_suml ler_wpmul2r ?invr_ge0 ?ler0n // exchange_big.
by apply: ler_sum => r _; apply: IH.
Qed.

(* Something happens with some record. *)
Fixpoint ever (P : seq rec -> pred rec) t : bool := if t is r :: t' then P t' r || ever P t' else false.

Lemma ever_le q (P : seq rec -> pred rec) (e : nat -> R) :
    (forall i, 0 <= e i) ->
    (forall t, valid t -> (size t < q)%N ->
       #|[set r in next t | P t r]|%:R <= e (size t) * #|next t|%:R) ->
  pr q (ever P) [::] <= \sum_(0 <= i < q) e i.
Proof.
move=> e0 H; pose V t := (ever P t)%:R + \sum_(size t <= i < q) e i : R.
have -> : \sum_(0 <= i < q) e i = V [::] by rewrite /V /= add0r.
apply: pr_le => [t vt st|t vt|t vt lt].
- by rewrite /V st big_geq ?addr0.
- by rewrite /V addr_ge0 ?ler0n // sumr_ge0.
rewrite /V (big_ltn lt) /=.
set S := \sum_(_ <= i < q) e i.
apply: (@le_trans _ _ (\sum_(r in next t) ((P t r)%:R + ((ever P t)%:R + S)))).
  apply: ler_sum => r _; rewrite addrA ler_add2r -natrD ler_nat.
  by case: (P t r); case: (ever P t).
rewrite big_split /= sumr_const -[X in _ + X]mulr_natl.
have -> : \sum_(r in next t) (P t r)%:R = #|[set r in next t | P t r]|%:R :> R.
  rewrite -sum1_card natr_sum [RHS](eq_bigl (fun r => (r \in next t) && P t r)); last by move=> r; rewrite inE.
  by rewrite big_mkcondr; apply: eq_bigr => r _; case: (P t r).
rewrite [X in _ <= _ * X]addrCA [X in _ <= X]mulrDr ler_add2r [X in _ <= X]mulrC.
exact: H.
Qed.

End Game.

(* Counting: each of S has c of T to itself, up to m that share. *)
Lemma fibres (T : finType) (S A : {set T}) (f : T -> {set T}) (c m : nat) :
    (forall r, r \in S -> (f r \subset A) && (c <= #|f r|)%N) ->
    (forall a, a \in A -> (#|[set r in S | a \in f r]| <= m)%N) ->
  (#|S| * c <= m * #|A|)%N.
Proof.
move=> Sf Am; apply: (@leq_trans (\sum_(r in S) \sum_(a in A) (a \in f r))).
  rewrite -sum_nat_const; apply: leq_sum => r /Sf /andP[/subsetP fA cf].
  apply: (leq_trans cf); rewrite -sum1_card big_mkcond [X in (_ <= X)%N]big_mkcond /=.
  by apply: leq_sum => a _; case af: (a \in f r) => //; rewrite (fA a af).
rewrite exchange_big /= mulnC -sum_nat_const; apply: leq_sum => a aA.
apply: leq_trans (Am a aA); rewrite -sum1_card.
rewrite [X in (_ <= X)%N](eq_bigl (fun r => (r \in S) && (a \in f r))); last by move=> r; rewrite inE.
by rewrite [X in (_ <= X)%N]big_mkcondr; apply: leq_sum => r _; case: (a \in f r).
Qed.
