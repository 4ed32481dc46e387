-- SPDX-License-Identifier: Apache-2.0 OR MIT
-- The compression function of BLAKE2b with t = f = 0, one round or half a round per cycle, for one key in many calls.
--
-- Source: RFC 7693, 3.1 and 3.2; docs/spec/omd.md, section 2.
-- y = F'(h, k || m): with `start`, h and m are taken, while `ready`; after 12 rounds `ready` comes again, with y
-- beside it until the next start. In the cycle that shows y the next call can start, with an h made of y: 13 cycles
-- per call. k must not change while a call runs.
-- clear: y becomes 0. rst: that, and no register keeps anything.
--
-- Of a = a + b + m only a + m is off the path: it is made as soon as a is there, while d, c and b are
-- still to come. And b is left as two words, whose exclusive or is a round's first step and not its last. So a
-- round is eight sums of two in a row, and where a carry chain can begin with an exclusive or, nothing else.
--
-- G_HALF_ROUND: half a round per cycle, 25 cycles per call, for fewer gates.
-- G_INTERLEAVE = 4: four calls at once, each in every fourth cycle; all ports speak of the call whose
-- cycle it is. The round has a register after each of its quarters then. A call that no start follows at once is
-- settled: y goes into h, and v into the state whose feed-forward is 0. Of one call at a time, v stays until the next start.

library ieee;
use ieee.std_logic_1164.all;
use ieee.numeric_std.all;
use work.omd_pkg.all;

entity blake2b_core is
  generic (
    G_HALF_ROUND : boolean := false;
    G_INTERLEAVE : positive := 1                          -- 1, or 4 without G_HALF_ROUND
  );
  port (
    clk, rst : in std_logic;
    start, clear : in std_logic;
    ready : out std_logic;
    k, h, m : in slv(511 downto 0);
    y : out slv(511 downto 0)
  );
end entity;

architecture rtl of blake2b_core is
  constant LANES : positive := G_INTERLEAVE;
  constant STEPS : positive := steps_of("blake2b", G_HALF_ROUND);

  subtype word is unsigned(63 downto 0);
  type quad is array (0 to 3) of word;
  type octet is array (0 to 7) of word;

  -- The rows of v, each word with the G that made it; s = a + the word of the message that comes next. After the second
  -- half of G, b is still to be `finished`: its exclusive or with c.
  type state is record
    a, s, b, c, d : quad;
  end record;

  function finished (b, c : word) return word is
  begin
    return rotate_right(b xor c, 63);
  end function;

  -- Words are little-endian.
  function split (x : slv) return octet is
    constant l : slv(511 downto 0) := bytes_reversed(x);
    variable its_words : octet;
  begin
    for j in 0 to 7 loop
      its_words(j) := unsigned(l(64 * j + 63 downto 64 * j));
    end loop;
    return its_words;
  end function;

  function joined (x : octet) return slv is
    variable l : slv(511 downto 0);
  begin
    for j in 0 to 7 loop
      l(64 * j + 63 downto 64 * j) := slv(x(j));
    end loop;
    return bytes_reversed(l);
  end function;

  -- h as a and b begin with it, after diagonals, as it were; and back.
  function rows_of (from_h : octet) return octet is
    variable b : word;
    variable rows : octet;
  begin
    for g in 0 to 3 loop
      b := from_h(4 + (g + 1) mod 4);
      rows(g) := from_h(g);
      rows(4 + g) := (b(0) & b(63 downto 1)) xor BLAKE2B_IV((g + 2) mod 4);
    end loop;
    return rows;
  end function;

  function h_of (rows : octet) return octet is
    variable its_h : octet;
  begin
    for g in 0 to 3 loop
      its_h(g) := rows(g);
      its_h(4 + (g + 1) mod 4) := finished(rows(4 + g), BLAKE2B_IV((g + 2) mod 4));
    end loop;
    return its_h;
  end function;

  function quad_of (rows : octet; first : natural) return quad is
    variable of_four : quad;
  begin
    for g in 0 to 3 loop
      of_four(g) := rows(first + g);
    end loop;
    return of_four;
  end function;

  constant NOTHING : quad := (others => (others => '0'));
  constant ROWS_OF_0 : octet := rows_of((others => (others => '0')));
  constant ROWS_OF_IV : octet := rows_of((
    BLAKE2B_IV(0), BLAKE2B_IV(1), BLAKE2B_IV(2), BLAKE2B_IV(3), BLAKE2B_IV(4), BLAKE2B_IV(5), BLAKE2B_IV(6), BLAKE2B_IV(7)));
  -- With h = 0, y = 0.
  constant NEUTRAL : state := (
    a => (ROWS_OF_IV(0), ROWS_OF_IV(1), ROWS_OF_IV(2), ROWS_OF_IV(3)),
    s => (others => (others => '0')),
    b => (ROWS_OF_IV(4), ROWS_OF_IV(5), ROWS_OF_IV(6), ROWS_OF_IV(7)),
    c => (BLAKE2B_IV(2), BLAKE2B_IV(3), BLAKE2B_IV(0), BLAKE2B_IV(1)),
    d => (BLAKE2B_IV(7), BLAKE2B_IV(4), BLAKE2B_IV(5), BLAKE2B_IV(6)));

  -- The four G that come next, on columns after diagonals, or on diagonals after columns: which words are theirs.
  function aligned (x : state; diagonal : std_logic) return state is
    variable left, right : natural;
    variable r : state;
  begin
    r.a := x.a;
    r.s := x.s;
    for g in 0 to 3 loop
      left := (g + 3) mod 4;
      right := (g + 1) mod 4;
      r.c(g) := x.c((g + 2) mod 4);
      if diagonal = '1' then
        r.b(g) := finished(x.b(right), x.c(right));
        r.d(g) := x.d(left);
      else
        r.b(g) := finished(x.b(left), x.c(left));
        r.d(g) := x.d(right);
      end if;
    end loop;
    return r;
  end function;

  -- The first or second half of four G.
  function half (x : state; next_words : quad; second : boolean) return state is
    variable a, b, c, d : word;
    variable r : state;
  begin
    for g in 0 to 3 loop
      a := x.s(g) + x.b(g);
      if second then
        d := rotate_right(x.d(g) xor a, 16);
      else
        d := rotate_right(x.d(g) xor a, 32);
      end if;
      c := x.c(g) + d;
      b := x.b(g);
      if not second then
        b := rotate_right(x.b(g) xor c, 24);
      end if;
      r.a(g) := a;
      r.s(g) := a + next_words(g);
      r.b(g) := b;
      r.c(g) := c;
      r.d(g) := d;
    end loop;
    return r;
  end function;

  -- Multiplexers, written out: of an index GHDL makes choices among four by a decoder, in which no tool finds a tree that
  -- goes into the multiplexers of a device.
  function mux2 (x0, x1 : word; i : std_logic) return word is
  begin
    if i = '1' then
      return x1;
    end if;
    return x0;
  end function;

  function mux4 (x : words(0 to 3); i : unsigned(1 downto 0)) return word is
  begin
    return mux2(mux2(x(0), x(1), i(0)), mux2(x(2), x(3), i(0)), i(1));
  end function;

  function mux16 (x : words(0 to 15); i : unsigned(3 downto 0)) return word is
    constant low : unsigned(1 downto 0) := i(1 downto 0);
  begin
    return mux2(mux2(mux4(x(0 to 3), low), mux4(x(4 to 7), low), i(2)),
                mux2(mux4(x(8 to 11), low), mux4(x(12 to 15), low), i(2)), i(3));
  end function;

  -- The words that four G take first or second: of a round, on columns or diagonals; or of half a round. It is below 10,
  -- or 20.
  function chosen (of_key, of_block : octet; of_round : unsigned(4 downto 0); diagonal, second : natural) return quad is
    variable all_words : words(0 to 15);
    variable number : unsigned(3 downto 0);
    variable of_four : quad;
    variable place : natural;
  begin
    for i in 0 to 7 loop
      all_words(i) := of_key(i);
      all_words(8 + i) := of_block(i);
    end loop;
    for g in 0 to 3 loop
      place := 2 * g + second;
      if G_HALF_ROUND then
        number := "0000";
        for row in 0 to 19 loop
          if of_round = row then
            number := to_unsigned(BLAKE2B_SIGMA(row / 2)(8 * (row mod 2) + place), 4);
          end if;
        end loop;
        of_four(g) := mux16(all_words, number);
      else
        place := place + 8 * diagonal;
        -- There is no row 10 to 15: rows 8 and 9 in their places make of_round(1) and of_round(2) needless there.
        of_four(g) := mux16((
          all_words(BLAKE2B_SIGMA(0)(place)), all_words(BLAKE2B_SIGMA(1)(place)), all_words(BLAKE2B_SIGMA(2)(place)),
          all_words(BLAKE2B_SIGMA(3)(place)), all_words(BLAKE2B_SIGMA(4)(place)), all_words(BLAKE2B_SIGMA(5)(place)),
          all_words(BLAKE2B_SIGMA(6)(place)), all_words(BLAKE2B_SIGMA(7)(place)), all_words(BLAKE2B_SIGMA(8)(place)),
          all_words(BLAKE2B_SIGMA(9)(place)), all_words(BLAKE2B_SIGMA(8)(place)), all_words(BLAKE2B_SIGMA(9)(place)),
          all_words(BLAKE2B_SIGMA(8)(place)), all_words(BLAKE2B_SIGMA(9)(place)), all_words(BLAKE2B_SIGMA(8)(place)),
          all_words(BLAKE2B_SIGMA(9)(place))),
          of_round(3 downto 0));
      end if;
    end loop;
    return of_four;
  end function;

  -- Each register of control is as many in a row as there are LANES: index 0 is what it will be, index LANES what it is.
  type octets is array (0 to LANES) of octet;
  type counts is array (0 to LANES) of unsigned(4 downto 0);
  signal hs : octets := (others => ROWS_OF_0);            -- as rows
  signal ms : octets := (others => (others => (others => '0')));
  signal run, was, begun : slv(0 to LANES) := (others => '0');
  -- Steps done; the row of sigma, now and next, and both a round of all LANES later.
  signal t, sigma_row, sigma_next, sigma_row_later, sigma_next_later : counts := (others => (others => '0'));
  signal x : state := NEUTRAL;
  signal x1, x2, x3, x4 : state;                          -- after each quarter of a round; a half has x3 and x4
  constant ENTERED : positive := (LANES + 4) / 4;         -- where h enters, of four
  signal entry : octet := ROWS_OF_0;
  signal cleared : std_logic := '0';
  signal sum, keys, rows : octet;
  signal words_1, words_2, words_3, next_words : quad;     -- of the message, for each quarter
  signal settles : std_logic;

  function next_row (row : unsigned(4 downto 0)) return unsigned is
  begin
    if (G_HALF_ROUND and row = 19) or (not G_HALF_ROUND and row = 9) then
      return to_unsigned(0, 5);
    end if;
    return row + 1;
  end function;
begin
  assert LANES = 1 or (LANES = 4 and not G_HALF_ROUND)
    report "blake2b_core: G_INTERLEAVE is 1, or 4 without G_HALF_ROUND" severity failure;

  ready <= not run(LANES);
  y <= joined(sum);
  keys <= split(k);

  feed_forward : process (all)
    variable v : state;
    variable of_h : octet;
  begin
    v := aligned(x, '0');
    of_h := h_of(hs(LANES));
    for g in 0 to 3 loop
      sum(g) <= of_h(g) xor v.a(g) xor v.c(g);
      sum(g + 4) <= of_h(g + 4) xor v.b(g) xor v.d(g);
    end loop;
  end process;

  control : process (all)
  begin
    run(0) <= run(LANES);
    ms(0) <= ms(LANES);
    if run(LANES) = '0' then
      ms(0) <= split(m);
    end if;
    t(0) <= t(LANES) + 1;
    sigma_row(0) <= sigma_next(LANES);
    sigma_next(0) <= next_row(sigma_next(LANES));
    if run(LANES) = '0' then
      sigma_next(0) <= (others => '0');
    elsif t(LANES) = STEPS - 1 then
      run(0) <= '0';
      sigma_next(0) <= (others => '0');
    end if;
    if start = '1' then
      run(0) <= '1';
      t(0) <= (others => '0');
      sigma_next(0) <= to_unsigned(1, 5);
    end if;

    hs(0) <= hs(LANES);
    if LANES = 4 then
      if run(LANES) = '0' then
        hs(0) <= rows_of(sum);
      end if;
    elsif clear = '1' then
      hs(0) <= ROWS_OF_0;
    elsif begun(LANES) = '1' then
      for g in 0 to 3 loop
        hs(0)(g) <= x.a(g);
        hs(0)(4 + g) <= x.b(g);
      end loop;
    end if;
  end process;
  was(0) <= run(LANES);
  begun(0) <= start;
  sigma_row_later(0) <= sigma_row(LANES);
  sigma_next_later(0) <= sigma_next(LANES);

  one : if LANES = 1 generate
    rows <= rows_of(split(h));
    settles <= clear and not start;
    words_2 <= chosen(keys, ms(LANES), sigma_row(LANES), 1, 0);
    words_3 <= chosen(keys, ms(LANES), sigma_row(LANES), 1, 1);
    whole : if not G_HALF_ROUND generate
      x1 <= half(aligned(x, '0'), words_1, second => false);
      x2 <= half(x1, words_2, second => true);
      x3 <= half(aligned(x2, '1'), words_3, second => false);
    end generate;
    halves : if G_HALF_ROUND generate
      x3 <= half(aligned(x, sigma_row(LANES)(0)), words_1, second => false);
    end generate;
    -- Both words of a first round's columns are the key's, which is there before m is.
    next_words <= chosen(keys, ms(LANES), sigma_next(LANES), 0, 0);
    ahead : process (clk)
    begin
      if rising_edge(clk) then
        words_1 <= chosen(keys, ms(LANES), sigma_next(LANES), 0, 1);
        if rst = '1' then
          words_1 <= NOTHING;
        end if;
      end if;
    end process;
  end generate;

  four : if LANES = 4 generate
    rows <= hs(LANES - 1);
    settles <= was(LANES - 1) nor begun(LANES - 1);
    quarters : process (clk)
    begin
      if rising_edge(clk) then
        x1 <= half(aligned(x, '0'), words_1, second => false);
        x2 <= half(x1, words_2, second => true);
        x3 <= half(aligned(x2, '1'), words_3, second => false);
        words_1 <= chosen(keys, ms(LANES - 1), sigma_row(LANES - 1), 0, 1);
        words_2 <= chosen(keys, ms(LANES), sigma_row(LANES), 1, 0);
        words_3 <= chosen(keys, ms(1), sigma_row_later(1), 1, 1);
        next_words <= chosen(keys, ms(LANES - 2), sigma_next_later(LANES - 2), 0, 0);
        if rst = '1' then
          x1 <= NEUTRAL;
          x2 <= NEUTRAL;
          x3 <= NEUTRAL;
          words_1 <= NOTHING;
          words_2 <= NOTHING;
          words_3 <= NOTHING;
          next_words <= NOTHING;
        end if;
      end if;
    end process;
  end generate;

  x4 <= half(x3, next_words, second => true);

  registers : process (clk)
    variable starts : std_logic;
    variable a : quad;
  begin
    if rising_edge(clk) then
      hs(1 to LANES) <= hs(0 to LANES - 1);
      if LANES = 4 then                                   -- a start comes late: a cycle later, nothing waits for it
        entry <= rows_of(split(h));
        cleared <= clear;
        if begun(1) = '1' then
          hs(ENTERED) <= entry;
        elsif cleared = '1' then
          hs(ENTERED) <= ROWS_OF_0;
        end if;
      end if;
      ms(1 to LANES) <= ms(0 to LANES - 1);
      run(1 to LANES) <= run(0 to LANES - 1);
      was(1 to LANES) <= was(0 to LANES - 1);
      begun(1 to LANES) <= begun(0 to LANES - 1);
      t(1 to LANES) <= t(0 to LANES - 1);
      sigma_row(1 to LANES) <= sigma_row(0 to LANES - 1);
      sigma_next(1 to LANES) <= sigma_next(0 to LANES - 1);
      sigma_row_later(1 to LANES) <= sigma_row_later(0 to LANES - 1);
      sigma_next_later(1 to LANES) <= sigma_next_later(0 to LANES - 1);

      starts := begun(LANES - 1);
      -- A start comes late: what it would begin with is chosen by what was.
      a := quad_of(rows, 0);
      if was(LANES - 1) = '1' then
        a := x4.a;
      end if;
      for g in 0 to 3 loop
        x.s(g) <= a(g) + next_words(g);
      end loop;
      if settles = '1' then
        x.a <= NEUTRAL.a;
        x.b <= NEUTRAL.b;
      elsif starts = '1' or was(LANES - 1) = '1' then
        x.a <= a;
        x.b <= quad_of(rows, 4);
        if was(LANES - 1) = '1' then
          x.b <= x4.b;
        end if;
      end if;
      if settles = '1' or starts = '1' then
        x.c <= NEUTRAL.c;
        x.d <= NEUTRAL.d;
      elsif was(LANES - 1) = '1' then
        x.c <= x4.c;
        x.d <= x4.d;
      end if;

      if rst = '1' then
        hs(1 to LANES) <= (others => ROWS_OF_0);
        entry <= ROWS_OF_0;
        cleared <= '0';
        ms(1 to LANES) <= (others => (others => (others => '0')));
        run(1 to LANES) <= (others => '0');
        was(1 to LANES) <= (others => '0');
        begun(1 to LANES) <= (others => '0');
        t(1 to LANES) <= (others => (others => '0'));
        sigma_row(1 to LANES) <= (others => (others => '0'));
        sigma_next(1 to LANES) <= (others => (others => '0'));
        sigma_row_later(1 to LANES) <= (others => (others => '0'));
        sigma_next_later(1 to LANES) <= (others => (others => '0'));
        x <= NEUTRAL;
      end if;
    end if;
  end process;
end architecture;
