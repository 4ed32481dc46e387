(* Some adversary wins: theorem 1 bounds a probability that is not 0, with pairs and with single calls. *)

From mathcomp Require Import all_ssreflect all_fingroup all_algebra.
From kcxaes Require Import game cipher collision theorem calls.
Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.
Import Order.TTheory GRing.Theory Num.Theory.
Local Open Scope ring_scope.

(* What can happen has a probability above 0. *)
Lemma pr_gt0 (R : realFieldType) (rec : finType) (next : seq rec -> {set rec}) q (E : pred (seq rec)) t :
  valid next t -> size t = q -> E t -> 0 < pr R next q E [::].
Proof.
move=> vt <- Et; rewrite -(drop_size t).
suff H n : (n <= size t)%N -> valid next (drop n t) /\ 0 < pr R next n E (drop n t) by have [] := H _ (leqnn _).
elim: n => [|n IH] lt; first by rewrite drop0 /= Et ltr01.
have [] := IH (ltnW lt); case s: t lt => [|r0 t'] // lt; rewrite (drop_nth r0 lt) -s /= => /andP[rn vn] pos.
split=> //; have n0 : (0 < #|next (drop n.+1 t)|)%N by apply/card_gt0P; eexists; apply: rn.
rewrite divr_gt0 ?ltr0n // (bigD1 _ rn) /= ltr_paddr // sumr_ge0 // => r _; exact: pr_ge0.
Qed.

Section Winning.

Variables (R : realFieldType) (key : finType) (B : finZmodType) (D : B) (double : B -> B).
Hypothesis D0 : D != 0.
Hypothesis addBB : forall x : B, x + x = 0.
Variables k0 k1 : key.
Hypothesis k01 : k0 != k1.

Notation rec := (cipher.rec key B).
Implicit Types (r : rec) (t : seq rec).

(* He asks both keys for E(0) and E(D), and then for whatever is new. *)
Definition used k t := has (fun r => kk r == k) t.
Definition winner t : key * bool * B :=
  if ~~ used k0 t then (k0, true, 0)
  else if ~~ used k1 t then (k1, true, 0)
  else (k0, true, odflt 0 [pick x | x \notin dom D k0 t]).

Lemma winner_zero_first t : ~~ has (fun r => kk r == (winner t).1.1) t -> (winner t).1.2 /\ (winner t).2 = 0.
Proof. by rewrite /winner; case: ifP => //= /negbFE u; case: ifP => //= _; rewrite -/(used k0 t) u. Qed.

Notation next := (next D winner).
Notation valid := (valid next).

Variable q : nat.
Hypothesis room : (2 * q < #|B|)%N.

Lemma unused k t x : ~~ used k t -> x \notin dom D k t.
Proof. by apply: contra; rewrite inE; apply: sub_has => r /andP[]. Qed.

(* He always has a question. *)
Lemma winner_asks t : (size t < q)%N -> next t != set0.
Proof.
move=> lt; apply: (next_ask room lt); rewrite /winner.
case u0: (used k0 t) => /=; last by apply: unused; rewrite u0.
case u1: (used k1 t) => /=; last by apply: unused; rewrite u1.
case: pickP => [x|no] //=; have : (0 < #|~: dom D k0 t|)%N.
  rewrite cardsCs setCK subn_gt0; apply: leq_ltn_trans (card_dom D k0 t) (leq_trans _ (ltnW room)).
  by rewrite ltn_mul2l.
by case/card_gt0P => x; rewrite in_setC (no x).
Qed.

(* Both keys may answer the same. Then U = 0, and V is such that the second call of CMAC asks for E(0), too. *)
Definition alike t := [forall k in [set k0; k1], (enc D t k 0 == Some 0) && (enc D t k D == Some D)].

Lemma alike_collision t : alike t -> collision D double t.
Proof.
move/forall_inP => H.
have [/andP[/eqP a /eqP b] /andP[/eqP c /eqP d]] := (H k0 (set21 _ _), H k1 (set22 _ _)).
apply/existsP; exists k0; apply/existsP; exists k1; apply/existsP; exists 0; apply/existsP; exists (double 0).
by rewrite /com a c add0r addBB add0r a b c d k01 eqxx.
Qed.

Lemma alike_cons t r : r \in next t -> alike t -> alike (r :: t).
Proof.
move=> rn /forall_inP H; apply/forall_inP => k /H /andP[/eqP a /eqP b].
have known x y : enc D t k x = Some y -> enc D (r :: t) k x = Some y.
  by move=> e; rewrite (enc_stable addBB rn) //; case/encE: e => // s st [ks is_ _]; apply: mem_dom st ks is_.
by rewrite (known _ _ a) (known _ _ b) !eqxx.
Qed.

Definition same_answer : seq rec := [:: mk k1 true 0 0 D; mk k0 true 0 0 D].

Lemma same_answer_valid : valid same_answer.
Proof.
have new k t : ~~ used k t -> winner t = (k, true, 0) -> mk k true 0 0 D \in next t.
  move=> u w; have nr x : x \notin ran k t by apply: contra u; rewrite inE; apply: sub_has => r /andP[].
  by rewrite /next w inE !eqxx (unused _ u) !nr eq_sym.
have no1 : ~~ used k1 [:: mk k0 true 0 0 D] by rewrite /used /= /kk /= orbF.
rewrite /same_answer /= !new //; rewrite /winner no1.
by rewrite /used /= /kk /= eqxx.
Qed.

Lemma same_answer_alike : alike same_answer.
Proof.
apply/forall_inP => k; rewrite !inE => /orP[]/eqP->; rewrite /= /kk /aa /z1 /z2 /= ?eqxx /=.
  by rewrite [k1 == k0]eq_sym k01 /= eqxx add0r (negPf D0) !eqxx.
by rewrite add0r (negPf D0) !eqxx.
Qed.

Lemma alike_of n : (n.+2 <= q)%N -> exists t, [/\ valid t, size t = n.+2 & alike t].
Proof.
elim: n => [|n IH] lt; first by exists same_answer; rewrite same_answer_valid same_answer_alike.
have [t [vt st al]] := IH (ltnW lt).
have /set0Pn[r rn] : next t != set0 by rewrite winner_asks // st.
by exists (r :: t); split; [rewrite /= rn|rewrite /= st|apply: alike_cons].
Qed.

Lemma winner_wins : (1 < q)%N -> 0 < pr R next q (collision D double) [::].
Proof.
case: q alike_of => [|[|n]] // H _; have [t [vt st al]] := H _ (leqnn _).
exact: pr_gt0 vt st (alike_collision al).
Qed.

End Winning.

(* ── On bit strings of n bits ── *)

(* With the hypotheses of theorem 1, which bounds what this adversary has. Pr 1: he always can ask. *)
Theorem some_adversary_wins (n q : nat) (key : finType) (D : 'rV['F_2]_n) (double : 'rV['F_2]_n -> 'rV['F_2]_n) :
    (1 < #|key|)%N -> D != 0 -> (1 < q)%N -> (2 * q < 2 ^ n)%N ->
  exists adv : seq (rec key [finZmodType of 'rV['F_2]_n]) -> key * bool * 'rV['F_2]_n,
    [/\ forall t, ~~ has (fun r => kk r == (adv t).1.1) t -> (adv t).1.2 /\ (adv t).2 = 0,
        pr rat_realFieldType (next D adv) q xpredT [::] = 1
      & 0 < pr rat_realFieldType (next D adv) q (collision D double) [::]].
Proof.
move=> /card_gt1P[k0 [k1 [_ _ k01]]] D0 q1 room.
have cB : #|[finZmodType of 'rV['F_2]_n]| = (2 ^ n)%N by rewrite card_matrix card_Fp // mul1n.
have addBB (x : 'rV['F_2]_n) : x + x = 0 by apply/rowP => i; rewrite !mxE addrr_char2 // char_Fp.
have room' : (2 * q < #|[finZmodType of 'rV['F_2]_n]|)%N by rewrite cB.
exists (@winner key [finZmodType of 'rV['F_2]_n] D k0 k1); split.
- exact: winner_zero_first.
- by apply: pr_all => t _; apply: winner_asks.
exact: winner_wins.
Qed.

(* With single calls: both keys' E(0) and E(D). All keys may have the same permutation. *)
Theorem some_calls_win (n q : nat) (key : finType) (D : 'rV['F_2]_n) (double : 'rV['F_2]_n -> 'rV['F_2]_n) :
    (1 < #|key|)%N -> (3 < q)%N ->
  exists adv : seq (key * ([finZmodType of 'rV['F_2]_n] * [finZmodType of 'rV['F_2]_n])) -> key * bool * 'rV['F_2]_n,
    0 < #|[set p : {ffun key -> {perm [finZmodType of 'rV['F_2]_n]}} | found D double p (calls adv p q [::])]|%:R
      / #|{: {ffun key -> {perm [finZmodType of 'rV['F_2]_n]}}}|%:R :> rat.
Proof.
move=> /card_gt1P[k0 [k1 [_ _ k01]]] q3.
have addBB (x : 'rV['F_2]_n) : x + x = 0 by apply/rowP => i; rewrite !mxE addrr_char2 // char_Fp.
pose adv (s : seq (key * ([finZmodType of 'rV['F_2]_n] * [finZmodType of 'rV['F_2]_n]))) :=
  nth (k0, true, 0) [:: (k0, true, 0); (k0, true, D); (k1, true, 0); (k1, true, D)] (size s).
exists adv; pose p : {ffun key -> {perm [finZmodType of 'rV['F_2]_n]}} := [ffun=> 1%g].
rewrite divr_gt0 // ltr0n; apply/card_gt0P; exists p => //; rewrite inE.
have pE k x : p k x = x by rewrite ffunE perm1.
have [m ->] : exists m, q = m.+4 by case: q q3 => [|[|[|[|m]]]] // _; exists m.
have made c : c \in calls adv p 4 [::] -> asked (calls adv p m.+4 [::]) c.1 c.2.1.
  by move=> c4; apply/hasP; exists c; rewrite ?eqxx //; apply: (calls_sub adv p m c4).
have all_made k : k \in [:: k0; k1] -> asked (calls adv p m.+4 [::]) k 0 /\ asked (calls adv p m.+4 [::]) k D.
  rewrite !inE => /orP[]/eqP->; split.
  - by apply: (made (k0, (0, p k0 0))); rewrite /= !inE /= eqxx ?orbT.
  - by apply: (made (k0, (D, p k0 D))); rewrite /= !inE /= eqxx ?orbT.
  - by apply: (made (k1, (0, p k1 0))); rewrite /= !inE /= eqxx ?orbT.
  - by apply: (made (k1, (D, p k1 D))); rewrite /= !inE /= eqxx ?orbT.
have w0 k : last_in double p k 0 (double 0) = 0 by rewrite /last_in !pE add0r addBB.
have [[a b] [a' b']] := (all_made k0 (mem_head _ _), all_made k1 (mem_last k0 [:: k1])).
apply/existsP; exists k0; apply/existsP; exists k1; apply/existsP; exists 0; apply/existsP; exists (double 0).
by rewrite /computed /fcom !w0 !add0r a b a' b' k01 !pE eqxx.
Qed.

About some_adversary_wins.
Print Assumptions some_adversary_wins.
About some_calls_win.
Print Assumptions some_calls_win.
