-- The compression function of BLAKE2b with t = f = 0, one round per cycle, for one key in many calls.
--
-- Source: RFC 7693, 3.1 and 3.2; docs/spec/omd.md, section 2.
-- y = F'(h, k || m): with `start`, h and m are taken, while `ready`; 12 cycles later `ready` comes again,
-- with y beside it until the next start. In the cycle that shows y the next call can start, with an h
-- made of y: 13 cycles per call. k must not change while a call runs.
-- clear: y becomes 0. rst: that, and no register keeps anything.
--
-- Of a = a + b + m only a + m is off the path: it is made as soon as a is there, while d, c and b are
-- still to come. So a round is eight sums of two in a row, and no sum has three terms.
-- A call that is not followed at once by the next is settled: y goes into h, and v into the state
-- whose feed-forward is 0.
--
-- G_INTERLEAVE = 4: four calls at once, each in every fourth cycle; all ports speak of the call whose
-- cycle it is. The round has a register after each of its quarters then.

library ieee;
use ieee.std_logic_1164.all;
use ieee.numeric_std.all;
use work.omd_pkg.all;

entity blake2b_core is
  generic (G_INTERLEAVE : positive := 1);                 -- 1 or 4
  port (
    clk, rst : in std_logic;
    start, clear : in std_logic;
    ready : out std_logic;
    k, h, m : in slv(511 downto 0);
    y : out slv(511 downto 0)
  );
end entity;

architecture rtl of blake2b_core is
  constant I : positive := G_INTERLEAVE;

  subtype word is unsigned(63 downto 0);
  type quad is array (0 to 3) of word;
  type octet is array (0 to 7) of word;

  -- The four rows of v, and s = a + the word of the message that comes next.
  type state is record
    a, s, b, c, d : quad;
  end record;
  -- h = 0 and this: y = 0.
  constant NEUTRAL : state := (
    a => (BLAKE2B_IV(0), BLAKE2B_IV(1), BLAKE2B_IV(2), BLAKE2B_IV(3)),
    s => (others => (others => '0')),
    b => (BLAKE2B_IV(4), BLAKE2B_IV(5), BLAKE2B_IV(6), BLAKE2B_IV(7)),
    c => (BLAKE2B_IV(0), BLAKE2B_IV(1), BLAKE2B_IV(2), BLAKE2B_IV(3)),
    d => (BLAKE2B_IV(4), BLAKE2B_IV(5), BLAKE2B_IV(6), BLAKE2B_IV(7)));

  -- Words are little-endian.
  function split (x : slv) return octet is
    constant l : slv(511 downto 0) := turned(x);
    variable y : octet;
  begin
    for j in 0 to 7 loop
      y(j) := unsigned(l(64 * j + 63 downto 64 * j));
    end loop;
    return y;
  end function;

  function joined (x : octet) return slv is
    variable l : slv(511 downto 0);
  begin
    for j in 0 to 7 loop
      l(64 * j + 63 downto 64 * j) := slv(x(j));
    end loop;
    return turned(l);
  end function;

  -- Half of G, four times: on columns, or on diagonals.
  function quarter (x : state; next_words : quad; diagonal, second : boolean) return state is
    variable r : state := x;
    variable ib, ic, id : natural;
  begin
    for g in 0 to 3 loop
      ib := g;
      ic := g;
      id := g;
      if diagonal then
        ib := (g + 1) mod 4;
        ic := (g + 2) mod 4;
        id := (g + 3) mod 4;
      end if;
      r.a(g) := x.s(g) + x.b(ib);
      if second then
        r.d(id) := rotate_right(x.d(id) xor r.a(g), 16);
        r.c(ic) := x.c(ic) + r.d(id);
        r.b(ib) := rotate_right(x.b(ib) xor r.c(ic), 63);
      else
        r.d(id) := rotate_right(x.d(id) xor r.a(g), 32);
        r.c(ic) := x.c(ic) + r.d(id);
        r.b(ib) := rotate_right(x.b(ib) xor r.c(ic), 24);
      end if;
      r.s(g) := r.a(g) + next_words(g);
    end loop;
    return r;
  end function;

  -- The words that the four G of a half of round r take first, or second. r is below 10.
  function chosen (k, m : octet; r : unsigned(3 downto 0); first : natural) return quad is
    variable all_words : words(0 to 15);
    variable by_round : words(0 to 7);
    variable y : quad;
  begin
    for j in 0 to 7 loop
      all_words(j) := k(j);
      all_words(8 + j) := m(j);
    end loop;
    for g in 0 to 3 loop
      for i in 0 to 7 loop
        by_round(i) := all_words(BLAKE2B_SIGMA(i)(first + 2 * g));
      end loop;
      y(g) := by_round(to_integer(r(2 downto 0)));
      if r(3) = '1' then
        y(g) := all_words(BLAKE2B_SIGMA(8)(first + 2 * g));
        if r(0) = '1' then
          y(g) := all_words(BLAKE2B_SIGMA(9)(first + 2 * g));
        end if;
      end if;
    end loop;
    return y;
  end function;

  -- Each register of control is I of them in a row: index 0 is what it will be, index I what it is.
  type octets is array (0 to I) of octet;
  type counts is array (0 to I) of unsigned(3 downto 0);
  signal hs, ms : octets := (others => (others => (others => '0')));
  signal run, was, begun : slv(0 to I) := (others => '0');
  signal t, r, rx, rd, rxd : counts := (others => (others => '0'));  -- rounds done; rows of sigma, now and next
  signal x : state := NEUTRAL;
  signal x1, x2, x3, x4 : state;
  signal sum, keys : octet;

  function next_row (r : unsigned(3 downto 0)) return unsigned is
  begin
    if r = 9 then
      return to_unsigned(0, 4);
    end if;
    return r + 1;
  end function;

  function last_quarter (x : state; next_words : quad; h : octet; run, start : std_logic) return state is
    variable n : state;
  begin
    n := quarter(x, next_words, true, true);
    if start = '1' then
      for g in 0 to 3 loop
        n.a(g) := h(g);
        n.b(g) := h(g + 4);
      end loop;
    end if;
    if run = '0' then
      n.c := NEUTRAL.c;
      n.d := NEUTRAL.d;
      if start = '0' then
        n.a := NEUTRAL.a;
        n.b := NEUTRAL.b;
      end if;
    end if;
    for g in 0 to 3 loop
      n.s(g) := n.a(g) + next_words(g);
    end loop;
    return n;
  end function;
begin
  assert I = 1 or I = 4 severity failure;

  ready <= not run(I);
  y <= joined(sum);
  keys <= split(k);

  feed_forward : process (all)
  begin
    for g in 0 to 3 loop
      sum(g) <= hs(I)(g) xor x.a(g) xor x.c(g);
      sum(g + 4) <= hs(I)(g + 4) xor x.b(g) xor x.d(g);
    end loop;
  end process;

  control : process (all)
  begin
    run(0) <= run(I);
    hs(0) <= hs(I);
    ms(0) <= ms(I);
    t(0) <= t(I) + 1;
    r(0) <= rx(I);
    rx(0) <= next_row(rx(I));
    if run(I) = '0' then
      hs(0) <= sum;
      rx(0) <= (others => '0');
    elsif t(I) = 11 then
      run(0) <= '0';
      rx(0) <= (others => '0');
    end if;
    if start = '1' then
      run(0) <= '1';
      t(0) <= (others => '0');
      rx(0) <= to_unsigned(1, 4);
      hs(0) <= split(h);
      ms(0) <= split(m);
    elsif clear = '1' then
      hs(0) <= (others => (others => '0'));
    end if;
  end process;
  was(0) <= run(I);
  begun(0) <= start;
  rd(0) <= r(I);
  rxd(0) <= rx(I);

  -- The first words of a first round are the key's, which is there before m is.
  last : process (all)
  begin
    if I = 1 then
      x4 <= last_quarter(x3, chosen(keys, ms(I), rxd(0), 0), hs(0), was(0), begun(0));
    else
      x4 <= last_quarter(x3, chosen(keys, ms(I - 1), rxd(I - 1), 0), hs(I - 1), was(I - 1), begun(I - 1));
    end if;
  end process;

  one : if I = 1 generate
    round : process (all)
      variable a : state;
    begin
      a := quarter(x, chosen(keys, ms(I), r(I), 1), false, false);
      a := quarter(a, chosen(keys, ms(I), r(I), 8), false, true);
      x3 <= quarter(a, chosen(keys, ms(I), r(I), 9), true, false);
    end process;
  end generate;

  four : if I = 4 generate
    quarters : process (clk)
    begin
      if rising_edge(clk) then
        x1 <= quarter(x, chosen(keys, ms(I), rd(0), 1), false, false);
        x2 <= quarter(x1, chosen(keys, ms(1), rd(1), 8), false, true);
        x3 <= quarter(x2, chosen(keys, ms(2), rd(2), 9), true, false);
        if rst = '1' then
          x1 <= NEUTRAL;
          x2 <= NEUTRAL;
          x3 <= NEUTRAL;
        end if;
      end if;
    end process;
  end generate;

  registers : process (clk)
  begin
    if rising_edge(clk) then
      hs(1 to I) <= hs(0 to I - 1);
      ms(1 to I) <= ms(0 to I - 1);
      run(1 to I) <= run(0 to I - 1);
      was(1 to I) <= was(0 to I - 1);
      begun(1 to I) <= begun(0 to I - 1);
      t(1 to I) <= t(0 to I - 1);
      r(1 to I) <= r(0 to I - 1);
      rx(1 to I) <= rx(0 to I - 1);
      rd(1 to I) <= rd(0 to I - 1);
      rxd(1 to I) <= rxd(0 to I - 1);
      x <= x4;
      if rst = '1' then
        hs(1 to I) <= (others => (others => (others => '0')));
        ms(1 to I) <= (others => (others => (others => '0')));
        run(1 to I) <= (others => '0');
        was(1 to I) <= (others => '0');
        begun(1 to I) <= (others => '0');
        t(1 to I) <= (others => (others => '0'));
        r(1 to I) <= (others => (others => '0'));
        rx(1 to I) <= (others => (others => '0'));
        x <= NEUTRAL;
      end if;
    end if;
  end process;
end architecture;
