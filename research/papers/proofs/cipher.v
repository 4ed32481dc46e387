(* The game of section 5.2: queries in pairs to an ideal cipher, one permutation for each key. *)

From mathcomp Require Import all_ssreflect all_algebra.
From kcxaes Require Import game.
Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.
Import Order.TTheory GRing.Theory Num.Theory.
Local Open Scope ring_scope.

Section Cipher.

Variables (key : finType) (B : finZmodType) (D : B).
Hypothesis D0 : D != 0.
(* Blocks are added without carries. *)
Hypothesis addBB : forall x : B, x + x = 0.

(* A record: the key, whether the pair is a forward one, a, E(a) and E(a + D). *)
Definition rec : finType := [finType of (key * bool) * (B * (B * B))].
Definition kk (r : rec) := r.1.1.
Definition fw (r : rec) := r.1.2.
Definition aa (r : rec) := r.2.1.
Definition z1 (r : rec) := r.2.2.1.
Definition z2 (r : rec) := r.2.2.2.

Lemma rec_eq r r' : kk r = kk r' -> fw r = fw r' -> aa r = aa r' -> z1 r = z1 r' -> z2 r = z2 r' -> r = r'.
Proof.
case: r => [[k f] [a [x y]]]; case: r' => [[k' f'] [a' [x' y']]].
by rewrite /kk /fw /aa /z1 /z2 /= => -> -> -> -> ->.
Qed.

(* What is known of a key: inputs and outputs. *)
Definition in_pair (r : rec) (x : B) := (x == aa r) || (x == aa r + D).
Definition out_pair (r : rec) (x : B) := (x == z1 r) || (x == z2 r).
Definition dom k (t : seq rec) := [set x | has (fun r => (kk r == k) && in_pair r x) t].
Definition ran k (t : seq rec) := [set x | has (fun r => (kk r == k) && out_pair r x) t].

(* The adversary: the key, the direction, and a (forward) or E(a) (backward). *)
Variable adv : seq rec -> key * bool * B.

Definition next t : {set rec} :=
  let: (k, f, x) := adv t in
  [set r : rec | [&& kk r == k, fw r == f, (if f then aa r else z1 r) == x,
                     aa r \notin dom k t, z1 r \notin ran k t, z2 r \notin ran k t & z1 r != z2 r]].

Notation valid := (valid next).

Lemma nextP t r : r \in next t ->
  [/\ aa r \notin dom (kk r) t, z1 r \notin ran (kk r) t, z2 r \notin ran (kk r) t & z1 r != z2 r].
Proof.
by rewrite /next; case: (adv t) => [[k f] x]; rewrite inE => /and4P[/eqP<- _ _ /and4P[? ? ? ?]].
Qed.

Lemma next_adv t r : r \in next t ->
  [/\ kk r = (adv t).1.1, fw r = (adv t).1.2 & (if fw r then aa r else z1 r) = (adv t).2].
Proof.
by rewrite /next; case: (adv t) => [[k f] x]; rewrite inE => /and4P[/eqP<- /eqP<- /eqP<- _].
Qed.

Lemma addDD x : x + D + D = x.
Proof. by rewrite -addrA addBB addr0. Qed.

Lemma eqDD x y : (x + D == y + D) = (x == y).
Proof. by apply/eqP/eqP => [/addIr|->]. Qed.

Lemma eqD x y : (x + D == y) = (x == y + D).
Proof. by rewrite -{1}[y]addDD eqDD. Qed.

Lemma in_pair_sym r r' : in_pair r (aa r') = in_pair r' (aa r).
Proof.
rewrite /in_pair eq_sym; congr (_ || _).
by apply/eqP/eqP => ->; rewrite addDD.
Qed.

Lemma in_pairD r x : in_pair r (x + D) = in_pair r x.
Proof. by rewrite /in_pair orbC eqDD eqD. Qed.

Lemma mem_dom k t r x : r \in t -> kk r = k -> in_pair r x -> x \in dom k t.
Proof. by move=> rt kr pr; rewrite inE; apply/hasP; exists r; rewrite // kr eqxx. Qed.

Lemma mem_ran k t r x : r \in t -> kk r = k -> out_pair r x -> x \in ran k t.
Proof. by move=> rt kr pr; rewrite inE; apply/hasP; exists r; rewrite // kr eqxx. Qed.

(* Under one key, pairs share neither inputs nor outputs. *)
Lemma uniq_dom t r r' x : valid t -> r \in t -> r' \in t -> kk r = kk r' ->
  in_pair r x -> in_pair r' x -> r = r'.
Proof.
elim: t => //= s t IH /andP[sn vt]; case/nextP: sn => nd _ _ _.
have no r2 : r2 \in t -> kk s = kk r2 -> in_pair s x -> in_pair r2 x -> False.
  move=> r2t ks ps p2; move: nd; rewrite (@mem_dom _ _ r2) //.
  have {}ps : (aa s == x) || (aa s == x + D).
    by move: ps => /orP[/eqP->|/eqP->]; rewrite ?eqxx ?addDD ?eqxx ?orbT.
  by case/orP: ps => /eqP->; rewrite ?in_pairD.
rewrite !inE => /orP[/eqP->|rt] /orP[/eqP->|rt'] // kE p p'; last exact: (IH vt).
  by case: (no r').
by case: (no r).
Qed.

Lemma uniq_ran t r r' x : valid t -> r \in t -> r' \in t -> kk r = kk r' ->
  out_pair r x -> out_pair r' x -> r = r'.
Proof.
elim: t => //= s t IH /andP[sn vt]; case/nextP: sn => _ n1 n2 _.
have no r2 : r2 \in t -> kk s = kk r2 -> out_pair s x -> out_pair r2 x -> False.
  move=> r2t ks ps p2; have xr : x \in ran (kk s) t by apply: (@mem_ran _ _ r2).
  by case/orP: ps => /eqP xE; move: n1 n2; rewrite -xE xr.
rewrite !inE => /orP[/eqP->|rt] /orP[/eqP->|rt'] // kE p p'; last exact: (IH vt).
  by case: (no r').
by case: (no r).
Qed.

Lemma valid_z t r : valid t -> r \in t -> z1 r != z2 r.
Proof. by elim: t => //= s t IH /andP[/nextP[_ _ _ zs] vt]; rewrite inE => /orP[/eqP->|/IH->]. Qed.

(* ── How many answers there are ── *)

Lemma card_seq2 (T : finType) (f g : rec -> T) (P : pred rec) (t : seq rec) (S : {set T}) :
    (forall x, x \in S -> exists2 r, r \in t & (x == f r) || (x == g r)) -> (#|S| <= 2 * size t)%N.
Proof.
move=> H; apply: (@leq_trans #|[set x in map f t ++ map g t]|).
  apply: subset_leq_card; apply/subsetP => x /H[r rt]; rewrite inE mem_cat.
  by case/orP=> /eqP->; rewrite map_f ?orbT.
by rewrite cardsE (leq_trans (card_size _)) // size_cat !size_map mul2n addnn.
Qed.

Lemma card_dom k t : (#|dom k t| <= 2 * size t)%N.
Proof.
apply: (@card_seq2 _ aa (fun r => aa r + D) predT) => x; rewrite inE => /hasP[r rt /andP[_ p]].
by exists r.
Qed.

Lemma card_ran k t : (#|ran k t| <= 2 * size t)%N.
Proof.
apply: (@card_seq2 _ z1 z2 predT) => x; rewrite inE => /hasP[r rt /andP[_ p]].
by exists r.
Qed.

Variable q : nat.
Definition M := (#|B| - 2 * q)%N.

Lemma room (S : {set B}) x (t : seq rec) : (#|S| <= 2 * size t)%N -> (size t < q)%N -> (M <= #|~: (x |: S)|)%N.
Proof.
move=> cS lt; rewrite cardsCs setCK /M leq_sub2l //.
by rewrite cardsU1 (leq_trans (leq_add (leq_b1 _) cS)) // add1n ltn_mul2l.
Qed.

(* Those that differ in E(a + D), in E(a), or in a, alone. *)
Definition vary2 t (r : rec) := [set r' in next t | (aa r' == aa r) && (z1 r' == z1 r)].
Definition vary1 t (r : rec) := [set r' in next t | (aa r' == aa r) && (z2 r' == z2 r)].
Definition varya t (r : rec) := [set r' in next t | (z1 r' == z1 r) && (z2 r' == z2 r)].

(* What follows is what differs from one that does in what was drawn. *)
Lemma next_like t r r' : r \in next t ->
  (r' \in next t) = [&& kk r' == kk r, fw r' == fw r, (if fw r then aa r' else z1 r') == (if fw r then aa r else z1 r),
                        aa r' \notin dom (kk r) t, z1 r' \notin ran (kk r) t, z2 r' \notin ran (kk r) t &
                        z1 r' != z2 r'].
Proof.
move=> /next_adv; rewrite /next; case: (adv t) => [[K g] y] /= [k f x].
by rewrite inE -k -f -x.
Qed.

Definition mk k f a x y : rec := ((k, f), (a, (x, y))).

Lemma card_vary2 t r : (size t < q)%N -> r \in next t -> (M <= #|vary2 t r|)%N.
Proof.
move=> lt rn; apply: leq_trans (room (z1 r) (card_ran (kk r) t) lt) _.
rewrite -(card_imset _ (f := mk (kk r) (fw r) (aa r) (z1 r))); last by move=> x y [].
apply: subset_leq_card; apply/subsetP => _ /imsetP[x xn ->].
have [d a b c] := nextP rn; move: xn; rewrite !inE negb_or => /andP[xz xr].
rewrite (next_like _ rn) /mk /kk /fw /aa /z1 /z2 /= -/(kk r) -/(fw r) -/(aa r) -/(z1 r) -/(z2 r).
by rewrite !eqxx d a (eq_sym (z1 r)) xz /= !andbT; move: xr; rewrite inE.
Qed.

Lemma card_vary1 t r : (size t < q)%N -> r \in next t -> fw r -> (M <= #|vary1 t r|)%N.
Proof.
move=> lt rn fr; apply: leq_trans (room (z2 r) (card_ran (kk r) t) lt) _.
rewrite -(card_imset _ (f := fun x => mk (kk r) (fw r) (aa r) x (z2 r))); last by move=> x y [].
apply: subset_leq_card; apply/subsetP => _ /imsetP[x xn ->].
have [d a b c] := nextP rn; move: xn; rewrite !inE negb_or => /andP[xz xr].
rewrite (next_like _ rn) /mk /kk /fw /aa /z1 /z2 /= -/(kk r) -/(fw r) -/(aa r) -/(z1 r) -/(z2 r).
by rewrite fr !eqxx d b xz /= !andbT; move: xr; rewrite inE.
Qed.

Lemma card_varya t r : (size t < q)%N -> r \in next t -> ~~ fw r -> (M <= #|varya t r|)%N.
Proof.
move=> lt rn fr; apply: leq_trans (room (aa r) (card_dom (kk r) t) lt) _.
rewrite -(card_imset _ (f := fun x => mk (kk r) (fw r) x (z1 r) (z2 r))); last by move=> x y [].
apply: subset_leq_card; apply/subsetP => _ /imsetP[x xn ->].
have [d a b c] := nextP rn; move: xn; rewrite !inE negb_or => /andP[xz xr].
rewrite (next_like _ rn) /mk /kk /fw /aa /z1 /z2 /= -/(kk r) -/(fw r) -/(aa r) -/(z1 r) -/(z2 r).
by rewrite (negPf fr) !eqxx a b c /= !andbT; move: xr; rewrite inE.
Qed.

(* What of it varies only decides it. *)
Lemma next_eq t r r' : r \in next t -> r' \in next t -> aa r = aa r' -> z1 r = z1 r' -> z2 r = z2 r' -> r = r'.
Proof.
by move=> /next_adv[k f _] /next_adv[k' f' _] ? ? ?; apply: rec_eq => //; rewrite ?k ?k' ?f ?f'.
Qed.

Lemma vary_sub t r : [/\ vary2 t r \subset next t, vary1 t r \subset next t & varya t r \subset next t].
Proof. by split; apply/subsetP => x; rewrite inE => /andP[]. Qed.

(* In one coordinate, then in the other: at least M * M answers. *)
Lemma card_next t r : (size t < q)%N -> r \in next t -> (M * M <= #|next t|)%N.
Proof.
move=> lt rn; have [s2 s1 sa] := vary_sub t r.
pose S := if fw r then vary1 t r else varya t r.
have cS : (M <= #|S|)%N by rewrite /S; case: ifPn => f; [apply: card_vary1|apply: card_varya].
have sS : S \subset next t by rewrite /S; case: ifP.
apply: leq_trans (leq_mul cS (leqnn M)) _; rewrite -[X in (_ <= X)%N]mul1n.
apply: (@fibres _ S (next t) (vary2 t)) => [r' r'S|a an].
  have r'n := subsetP sS _ r'S; rewrite card_vary2 // andbT.
  by have [] := vary_sub t r'.
apply/card_le1_eqP => x y; rewrite !inE => /and3P[xS _ /andP[/eqP ax /eqP zx]] /and3P[yS _ /andP[/eqP ay /eqP zy]].
apply: (next_eq (subsetP sS _ yS) (subsetP sS _ xS)); rewrite -?ax -?ay -?zx -?zy //.
by move: xS yS; rewrite /S; case: ifP => _; rewrite !inE => /and3P[_ _ /eqP->] /and3P[_ _ /eqP->].
Qed.

End Cipher.
