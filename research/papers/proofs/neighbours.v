(* Lemma 2: no key is in many partial collisions.

   The paper follows the attempts in a graph. Here a potential does: pairs at the chosen positions J and those under the
   key of the position i0 are nodes, and each node that has the outputs of an earlier one is a hit. *)

From mathcomp Require Import all_ssreflect all_algebra.
From kcxaes Require Import game cipher collision counting.
Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.
Import Order.TTheory GRing.Theory Num.Theory.
Local Open Scope ring_scope.

Section Neighbours.

Variables (R : realFieldType) (key : finType) (B : finZmodType) (D : B).
Hypothesis D0 : D != 0.
Hypothesis addBB : forall x : B, x + x = 0.

Notation rec := (cipher.rec key B).
Implicit Types (r : rec) (t : seq rec).

Variable adv : seq rec -> key * bool * B.

Notation next := (next D adv).
Notation valid := (valid next).
Notation forward := (ever (@meets key B)).

Variables q beta : nat.
Hypothesis room : (2 * q < #|B|)%N.
Notation M := (M B q).

Lemma M_gt0 : (0 < M)%N.
Proof. by rewrite subn_gt0. Qed.

Definition outs r := [set z1 r; z2 r].

Lemma sameE r r' : same r r' = (outs r == outs r').
Proof. by []. Qed.

Lemma valid_uniq t : valid t -> uniq t.
Proof.
elim: t => //= r t IH /andP[rn /IH ->]; rewrite andbT; apply/negP => rt.
by case/nextP: rn => /negP[]; apply: (mem_dom rt); rewrite ?in1.
Qed.

(* ── For chosen positions ── *)

Section Nodes.

Variables (i0 : nat) (J : pred nat).

Definition isnode t r := J (size t) || (i0 <= size t)%N && (kk r == kk (nth r (rev t) i0)).

Fixpoint nodes t := if t is r :: t' then if isnode t' r then r :: nodes t' else nodes t' else [::].

Definition hit t r := isnode t r && has (same r) (nodes t).

Fixpoint hits t : nat := if t is r :: t' then hits t' + hit t' r else 0.

(* Nodes that share an output share both. *)
Definition viable t := all (fun r => all (fun r' => out_pair r' (z1 r) ==> same r r') (nodes t)) (nodes t).

Definition good t := ~~ forward t && viable t.

Lemma nodes_subseq t : subseq (nodes t) t.
Proof.
elim: t => // r t IH; rewrite [nodes _]/=; case: ifP => _; first by rewrite /= eqxx.
exact: subseq_trans IH (subseq_cons _ _).
Qed.

Lemma nodes_mem t r : r \in nodes t -> r \in t.
Proof. exact: (mem_subseq (nodes_subseq t)). Qed.

Lemma viableP t r r' : viable t -> r \in nodes t -> r' \in nodes t -> out_pair r' (z1 r) -> same r r'.
Proof. by move=> /allP v rn rn' o; move: (v _ rn) => /allP/(_ _ rn')/implyP; apply. Qed.

Lemma good_cons t r : good (r :: t) -> good t.
Proof.
rewrite /good /= negb_or => /andP[/andP[_ ->] v] /=.
apply/allP => x xn; apply/allP => y yn; apply/implyP; apply: (viableP v) => /=.
  by case: ifP => //; rewrite inE xn orbT.
by case: ifP => //; rewrite inE yn orbT.
Qed.

Lemma isnode_eq t r r' : kk r = kk r' -> isnode t r = isnode t r'.
Proof.
move=> kE; rewrite /isnode kE; congr (_ || _).
case: (ltngtP i0 (size t)) => //= [lt|iE]; first by rewrite (set_nth_default r') // size_rev.
by rewrite !nth_default ?kE ?eqxx // size_rev iE.
Qed.

Definition S t := [set r in next t | good (r :: t) && hit t r].

(* One more hit is one more block to guess. *)
Lemma hit_only t : valid t -> (size t < q)%N ->
  S t = set0 \/ ((#|S t| * M <= #|next t|)%N /\ forall r, r \in next t -> good (r :: t) -> r \in S t).
Proof.
move=> vt lt; case: (set_0Vmem (S t)) => [->|[x xS]]; [by left|right].
move: xS; rewrite inE => /and3P[xn gx /andP[nx /hasP[p pn sxp]]].
have fx : ~~ fw x.
  apply/negP => fx; move: gx => /andP[/negP[] /=]; rewrite /meets fx /=; apply/orP; left.
  apply/hasP; exists p; first exact: (nodes_mem pn); rewrite /partial sxp andbT.
  have [_ /negP n1 _ _] := nextP xn; apply/negP => /eqP kE; apply: n1.
  by apply: (mem_ran (nodes_mem pn)); rewrite ?kE // -(same_out _ sxp) out1.
have fit r : r \in next t -> good (r :: t) -> isnode t r /\ same r p.
  move=> rn /andP[_ v]; have nr : isnode t r by rewrite (isnode_eq _ (next_kk rn xn)).
  split=> //; apply: (viableP v); rewrite /= ?nr ?mem_head ?in_cons ?pn ?orbT //.
  have -> : z1 r = z1 x by rewrite (backward_z1 xn rn fx).
  by rewrite -(same_out _ sxp) out1.
split=> [|r rn gr]; last first.
  by have [nr sr] := fit r rn gr; rewrite inE rn gr /hit nr; apply/hasP; exists p.
rewrite -[X in (_ <= X)%N]mul1n; apply: (@fibres _ _ _ (vary2 D adv t)) => [r|a an].
  by rewrite inE => /andP[rn _]; have [-> _ _] := vary_sub D adv t r; rewrite card_vary2.
apply/card_le1_eqP => r s; rewrite !inE.
move=> /andP[/and3P[rn gr _] /and3P[_ /eqP ar /eqP zr]] /andP[/and3P[sn gs _] /and3P[_ /eqP as_ /eqP zs]].
have zE : z1 s = z1 r by rewrite -zs -zr.
apply: (next_eq sn rn) => //; first by rewrite -as_ -ar.
by apply: (same_z2 zE (next_z sn) (next_z rn) (fit _ sn gs).2 (fit _ rn gr).2).
Qed.

Definition V t : R := (good t)%:R * (M%:R ^+ hits t / M%:R ^+ beta).

Lemma MR_gt0 : 0 < M%:R :> R.
Proof. by rewrite ltr0n M_gt0. Qed.

Lemma W_ge0 n : 0 <= M%:R ^+ n / M%:R ^+ beta :> R.
Proof. by rewrite divr_ge0 ?exprn_ge0 ?ler0n. Qed.

Lemma V_ge0 t : 0 <= V t.
Proof. by rewrite mulr_ge0 ?ler0n ?W_ge0. Qed.

Lemma V_cons t r : V (r :: t) <= (good (r :: t))%:R * (if hit t r then M%:R else 1) * V t.
Proof.
rewrite {1}/V; case g: (good (r :: t)); last by rewrite !mul0r.
rewrite /V (good_cons g) !mul1r /=; case: ifP => _; last by rewrite addn0 mul1r.
by rewrite addn1 exprS mulrA.
Qed.

Lemma V_step t : valid t -> (size t < q)%N -> \sum_(r in next t) V (r :: t) <= #|next t|%:R * V t.
Proof.
move=> vt lt; case: (hit_only vt lt) => [S0|[cS only]].
  rewrite mulr_natl -sumr_const; apply: ler_sum => r rn; apply: (le_trans (V_cons t r)).
  rewrite -[X in _ <= X]mul1r ler_wpmul2r ?V_ge0 //.
  case g: (good (r :: t)); last by rewrite mul0r ler01.
  case h: (hit t r); last by rewrite mul1r.
  by have := in_set0 r; rewrite -S0 inE rn g h.
apply: (@le_trans _ _ (\sum_(r in next t) (r \in S t)%:R * (M%:R * V t))).
  apply: ler_sum => r rn; apply: (le_trans (V_cons t r)).
  case g: (good (r :: t)); last by rewrite !mul0r mulr_ge0 ?ler0n // mulr_ge0 ?ler0n ?V_ge0.
  have rS := only r rn g; rewrite rS !mul1r.
  by move: rS; rewrite inE => /and3P[_ _ ->].
rewrite -mulr_suml mulrA ler_wpmul2r ?V_ge0 // -natr_sum -natrM ler_nat.
apply: leq_trans cS; rewrite leq_mul2r; apply/orP; right.
rewrite -(sum1_card (mem (S t))) big_mkcond [X in (_ <= X)%N]big_mkcond /=.
by apply: leq_sum => r _; case: (r \in S t); case: ifP.
Qed.

(* ── What a transcript is in the end, if all of J are neighbours of the key of i0 ── *)

Variable r0 : rec.
Definition at_ t i := nth r0 (rev t) i.

Lemma at_cons t r i : at_ (r :: t) i = if (i < size t)%N then at_ t i else if i == size t then r else r0.
Proof. by rewrite /at_ rev_cons nth_rcons size_rev. Qed.

Lemma at_mem t i : (i < size t)%N -> at_ t i \in t.
Proof. by move=> lt; rewrite -mem_rev mem_nth ?size_rev. Qed.

Lemma node_J t i : (i < size t)%N -> J i -> at_ t i \in nodes t.
Proof.
elim: t => //= r t IH; rewrite ltnS at_cons => le Ji; case: ltnP => [lt|ge].
  by case: ifP => _; rewrite ?inE IH ?orbT.
have iE : i = size t by apply/eqP; rewrite eqn_leq le.
by rewrite iE eqxx in Ji *; rewrite /isnode Ji mem_head.
Qed.

Lemma node_key t i : (i0 <= i < size t)%N -> kk (at_ t i) = kk (at_ t i0) -> at_ t i \in nodes t.
Proof.
elim: t => [|r t IH]; first by rewrite andbF.
rewrite /= ltnS !at_cons => /andP[i0i le]; case: ltnP => [lt|ge].
  rewrite (leq_ltn_trans i0i lt) => kE; have := IH _ kE; rewrite i0i lt => /(_ isT) H.
  by case: ifP => _; rewrite ?inE H ?orbT.
have iE : i = size t by apply/eqP; rewrite eqn_leq le.
rewrite iE eqxx in i0i * => kE; rewrite /isnode i0i /=.
suff -> : kk r == kk (nth r (rev t) i0) by rewrite orbT mem_head.
move: kE; case: ltnP => [lt|ge0]; first by rewrite /at_ (set_nth_default r) ?size_rev // => ->.
by rewrite nth_default // size_rev.
Qed.

Lemma nodeP t r : r \in nodes t ->
  exists2 i, (i < size t)%N & r = at_ t i /\ (J i \/ (i0 < size t)%N /\ kk r = kk (at_ t i0)).
Proof.
elim: t => //= s t IH.
have old : r \in nodes t ->
    exists2 i, (i < (size t).+1)%N & r = at_ (s :: t) i /\ (J i \/ (i0 < (size t).+1)%N /\ kk r = kk (at_ (s :: t) i0)).
  move=> /IH[i lt [rE H]]; exists i; first exact: ltnW.
  rewrite !at_cons lt; split=> //; case: H => [|[l kE]]; [by left|right].
  by rewrite l; split=> //; apply: ltnW.
case: ifP => // nd; rewrite inE => /orP[/eqP->|//]; exists (size t) => //.
rewrite !at_cons ltnn eqxx; split=> //; move: nd => /orP[|/andP[le /eqP kE]]; [by left|right].
split=> //; rewrite {1}kE; case: ltnP => lt; first by rewrite /at_ (set_nth_default r0) ?size_rev.
have -> : i0 == size t by rewrite eqn_leq le.
by rewrite nth_default // size_rev.
Qed.

Lemma hits_size t : (hits t + size (undup (map outs (nodes t))) = size (nodes t))%N.
Proof.
elim: t => //= r t IH; rewrite /hit; case: ifP => _ /=; last by rewrite addn0.
have -> : has (same r) (nodes t) = (outs r \in map outs (nodes t)).
  apply/hasP/mapP => [[x xn /eqP]|[x xn E]]; first by exists x.
  by exists x; rewrite // sameE E.
case: ifP => _ /=; last by rewrite addn0 addnS IH.
by rewrite addn1 addSn IH.
Qed.

Lemma all_hit t k (s : seq nat) :
    valid t -> uniq s -> J =1 mem s -> (i0 < size t)%N -> kk (at_ t i0) = k ->
    (forall i, (i < i0)%N -> kk (at_ t i) != k) ->
    (forall i, i \in s -> (i < size t)%N && neighbour k t (at_ t i)) ->
  viable t && (size s <= hits t)%N.
Proof.
move=> vt us Js lt0 k0 first nb.
have own r : r \in nodes t -> exists2 x, x \in t & kk x = k /\ same x r.
  move=> rn; have [i lt [rE [Ji|[_ kr]]]] := nodeP rn; last first.
    by exists r; [exact: (nodes_mem rn)|rewrite kr k0 samer].
  have /andP[_ /andP[_ /hasP[x xt /andP[/eqP kx sx]]]] : (i < size t)%N && neighbour k t (at_ t i).
    by apply: nb; move: Ji; rewrite Js.
  by exists x; rewrite // rE.
have keyed x : x \in t -> kk x = k -> x \in nodes t.
  move=> xt kx; have xr : x \in rev t by rewrite mem_rev.
  have ax : at_ t (index x (rev t)) = x by rewrite /at_ nth_index.
  rewrite -ax; apply: node_key; last by rewrite ax k0.
  rewrite -(size_rev t) index_mem xr andbT leqNgt; apply/negP => /first.
  by rewrite ax kx eqxx.
apply/andP; split.
  apply/allP => r rn; apply/allP => r' rn'; apply/implyP => o.
  have [x xt [kx sx]] := own r rn; have [y yt [ky sy]] := own r' rn'.
  have xy : x = y.
    apply: (uniq_ran vt xt yt (x := z1 r)); first by rewrite kx ky.
      by rewrite (same_out _ sx) out1.
    by rewrite (same_out _ sy).
  by apply: (same_trans (r' := x)); rewrite ?(same_sym r) // xy.
pose a := fun r => kk r == k.
rewrite -(leq_add2r (size (undup (map outs (nodes t))))) hits_size.
rewrite -(count_predC a) addnC leq_add //.
  rewrite -size_filter -(size_map outs); apply: uniq_leq_size; first exact: undup_uniq.
  move=> z; rewrite mem_undup => /mapP[r rn ->]; have [x xt [kx sx]] := own r rn.
  by apply/mapP; exists x; [rewrite mem_filter /a kx eqxx keyed|apply/esym/eqP].
rewrite -size_filter -(size_map (at_ t)); apply: uniq_leq_size.
  rewrite map_inj_in_uniq // => i j /nb/andP[li _] /nb/andP[lj _] /eqP.
  by rewrite /at_ nth_uniq ?size_rev ?rev_uniq ?valid_uniq // => /eqP.
move=> x /mapP[i is_ ->]; have /andP[li /andP[ki _]] := nb i is_.
by rewrite mem_filter /= /a ki node_J // Js.
Qed.

End Nodes.

(* ── Over all positions ── *)

Definition filler : rec := mk (adv [::]).1.1 true 0 0 0.

Definition crowded t := ~~ forward t && [exists k : key, beta <= col k t]%N.

Definition chosen (x : 'I_q * {set 'I_q}) := (x.2 \subset ~: [set x.1]) && (#|x.2| == beta).

Definition js (x : 'I_q * {set 'I_q}) : seq nat := map val (enum x.2).

Definition mine x t :=
  [&& chosen x, good x.1 (mem (js x)) t & (beta <= hits x.1 (mem (js x)) t)%N].

Lemma crowded_mine t : (0 < beta)%N -> valid t -> size t = q -> crowded t -> [exists x, mine x t].
Proof.
move=> b0 vt sq /andP[nf /existsP[k cb]].
have kt : has (fun r => kk r == k) t.
  move: (leq_trans b0 cb); rewrite /col -has_count => /hasP[r rt /andP[_ /hasP[x xt /andP[kx _]]]].
  by apply/hasP; exists x.
have kt' : has (fun r => kk r == k) (rev t) by rewrite has_rev.
have lt0 : (find (fun r => kk r == k) (rev t) < q)%N by rewrite -sq -(size_rev t) -has_find.
pose i0 := Ordinal lt0; pose at' := at_ filler t.
have k0 : kk (at' i0) = k by apply/eqP; apply: (nth_find filler kt').
pose P := [set i : 'I_q | neighbour k t (at' i)].
have cP : (beta <= #|P|)%N.
  apply: leq_trans cb _; rewrite /col -size_filter.
  rewrite cardE -(size_map (fun i : 'I_q => at' i)); apply: uniq_leq_size.
    by rewrite filter_uniq ?valid_uniq.
  move=> r; rewrite mem_filter => /andP[nr rt].
  have lt : (index r (rev t) < q)%N by rewrite -sq -(size_rev t) index_mem mem_rev.
  have ar : at' (Ordinal lt) = r by rewrite /at' /at_ /= nth_index ?mem_rev.
  by apply/mapP; exists (Ordinal lt); rewrite ?mem_enum ?inE ar.
have [J] : exists J : {set 'I_q}, J \in [set A : {set 'I_q} | A \subset P & #|A| == beta].
  by apply/set0Pn; rewrite -card_gt0 cards_draws bin_gt0.
rewrite inE => /andP[JP cJ]; apply/existsP; exists (i0, J).
have nJ i : i \in J -> neighbour k t (at' i) by move=> /(subsetP JP); rewrite inE.
rewrite /mine /chosen /= cJ andbT; apply/and3P.
have /andP[v h] : viable i0 (mem (js (i0, J))) t && (size (js (i0, J)) <= hits i0 (mem (js (i0, J))) t)%N.
  apply: (@all_hit _ _ filler t k) => //=; first by rewrite map_inj_uniq ?enum_uniq //; apply: val_inj.
  - by rewrite sq.
  - by move=> i /(before_find filler) ->.
  by move=> i /mapP[j]; rewrite mem_enum => jJ ->; rewrite sq ltn_ord nJ.
split; last by move: h; rewrite size_map -cardE (eqP cJ).
  apply/subsetP => i iJ; rewrite !inE; apply/eqP => iE.
  by move: (nJ i iJ) => /andP[]; rewrite iE k0 eqxx.
by rewrite /good nf.
Qed.

Lemma card_chosen : #|[set x | chosen x]| = (q * 'C(q.-1, beta))%N.
Proof.
rewrite -sum1_card (eq_bigl chosen); last by move=> x; rewrite inE.
rewrite -(pair_big_dep xpredT (fun i J => chosen (i, J)) (fun _ _ => 1%N)) /=.
rewrite (eq_bigr (fun=> 'C(q.-1, beta))); first by rewrite sum_nat_const card_ord.
move=> i _; rewrite sum1_card -[in RHS](card_ord q) -(cardsC1 i) -cards_draws.
by rewrite cardsE; apply: eq_card => J; rewrite unfold_in.
Qed.

Lemma lemma_2 : (0 < beta)%N ->
  pr R next q crowded [::] <= (q * 'C(q.-1, beta))%:R / M%:R ^+ beta.
Proof.
move=> b0; apply: (@le_trans _ _ (pr R next q (fun t => [exists x, mine x t]) [::])).
  by apply: pr_mono => t vt sq; apply: crowded_mine.
apply: le_trans (pr_exists _ _ _ _ _) _.
rewrite -card_chosen -sum1_card natr_sum mulr_suml [X in _ <= X]big_mkcond /=.
apply: ler_sum => x _; rewrite inE mul1r; case: ifP => cx; last first.
  apply: (@le_trans _ _ (pr R next q xpred0 [::])).
    by apply: pr_mono => t _ _; rewrite /mine cx.
  elim: (q) [::] => //= n IH t; rewrite big1 ?mul0r // => r _.
  by apply/eqP; rewrite eq_le IH pr_ge0.
have -> : (M%:R ^+ beta)^-1 = V x.1 (mem (js x)) [::] :> R by rewrite /V /= mulr1n !mul1r.
apply: pr_le => [t vt sq|t _|t vt lt]; [|exact: V_ge0|exact: V_step].
rewrite /V /mine cx /=; case g: (good _ _ t); last by rewrite mul0r.
case: leqP => h; last by rewrite mul1r W_ge0.
rewrite mul1r ler_pdivl_mulr ?exprn_gt0 ?MR_gt0 // mul1r.
by rewrite ler_weexpn2l // ler1n M_gt0.
Qed.

End Neighbours.
