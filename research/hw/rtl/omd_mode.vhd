-- SPDX-License-Identifier: Apache-2.0 OR MIT
-- OMD without its compression function F, to which it has ports. omd_core is both, and says what the other ports are.
--
-- Source: docs/spec/omd.md, sections 3 to 6, the secure rule for empty inputs.
-- D holds what the next call's h will have besides y: the nonce, then L[0], then Delta with its mask. So the cycle that shows
-- y = H_i also takes the block, gives C_i = y xor M_i, and starts the next call with h = y xor D. Tag_a = Ta, of associated data.
-- Masks are made by walking from L[i] to L[j], a doubling or halving per cycle, while F runs: after block 2^k - 1 it goes k
-- steps up, and then k down.
-- Limits: 2^58 blocks.

library ieee;
use ieee.std_logic_1164.all;
use ieee.numeric_std.all;
use work.omd_pkg.all;

entity omd_mode is
  generic (
    G_BYTES : positive := 64;                             -- n: 32 for sha256, otherwise 64
    G_TAG_BYTES : positive := 64;
    G_INTERLEAVE : positive := 1;                         -- 1 or 4
    G_DECRYPT : boolean := true;                          -- opens, too
    G_AD : boolean := true;                               -- computes L* and hash(A)
    G_CONSTANTS : boolean := true                         -- false: the second share, to which padding and tau are not added
  );
  port (
    clk, rst, zeroise : in std_logic;

    s_key_tdata : in slv(G_BYTES - 1 downto 0);
    s_key_tvalid : in std_logic;
    s_key_tready : out std_logic;

    s_ad_tdata : in slv(16 * G_BYTES - 1 downto 0) := (others => '0');
    s_ad_tkeep : in slv(2 * G_BYTES - 1 downto 0) := (others => '0');
    s_ad_tlast, s_ad_tvalid : in std_logic := '0';
    s_ad_tready : out std_logic;
    keep_tag_a : in std_logic := '0';

    s_axis_tdata : in slv(8 * G_BYTES - 1 downto 0);
    s_axis_tkeep : in slv(G_BYTES - 1 downto 0);
    s_axis_tuser, s_axis_tlast, s_axis_tvalid : in std_logic;
    s_axis_tready : out std_logic;

    m_axis_tdata : out slv(8 * G_BYTES - 1 downto 0);
    m_axis_tkeep : out slv(G_BYTES - 1 downto 0);
    m_axis_tuser : out slv(1 downto 0);
    m_axis_tlast, m_axis_tvalid : out std_logic;
    m_axis_tready : in std_logic;

    l_star, tag_a : in slv(8 * G_BYTES - 1 downto 0) := (others => '0');

    -- F, as sha2_core has it; its reset is `rst or zeroise`.
    start, clear : out std_logic;
    ready : in std_logic;
    k : out slv(8 * G_BYTES - 1 downto 0) := (others => '0');
    h, m : out slv(8 * G_BYTES - 1 downto 0);
    y : in slv(8 * G_BYTES - 1 downto 0)
  );
end entity;

architecture rtl of omd_mode is
  constant LANES : positive := G_INTERLEAVE;
  constant n : positive := G_BYTES;
  constant BITS : positive := 8 * n;
  subtype block_t is slv(BITS - 1 downto 0);
  constant ZERO : block_t := (others => '0');
  constant TAU : block_t := slv(to_unsigned(8 * G_TAG_BYTES, BITS));

  function mark_of_share return std_logic is
  begin
    if G_CONSTANTS then
      return '1';
    end if;
    return '0';
  end function;
  constant ONE : std_logic := mark_of_share;

  -- x without what follows its first bits. Not by a constant mask: GHDL 2.0 synthesises one whose lower half is 0 as 0.
  function cut (value : slv; first_bits : natural) return slv is
    alias a : slv(value'length - 1 downto 0) is value;
  begin
    return a(value'length - 1 downto value'length - first_bits) & (value'length - first_bits - 1 downto 0 => '0');
  end function;

  -- What F computes, or has computed.
  type phase is (
    NO_KEY,                                               -- nothing
    L_STAR_OF_KEY,
    FREE,                                                 -- nothing: the next is associated data or the nonce
    HASHES,                                               -- a block of associated data
    DELTA_OF_NONCE,
    CHAINS,                                               -- H, of the tag's length or of a block
    TAGS                                                  -- Tag_e
  );

  -- Where the mask of the next call stands: X is sought; it is on its way; 2L* is in and L* not; done.
  type walk is (SEEK, UP, SECOND, DONE);

  -- Each register is as many in a row as there are LANES: index 0 is what it will be, index LANES what it is.
  type blocks is array (0 to LANES) of block_t;
  type phases is array (0 to LANES) of phase;
  type walks is array (0 to LANES) of walk;
  type levels is array (0 to LANES) of unsigned(5 downto 0);
  type counters is array (0 to LANES) of unsigned(60 downto 0);
  signal D, X, Ta : blocks := (others => ZERO);
  signal state : phases := (others => NO_KEY);
  signal mask : walks := (others => DONE);
  signal level : levels := (others => (others => '0'));   -- X = 2^level L*
  signal count : counters := (others => (others => '0')); -- blocks that have a mask, times 4 / 2^level
  signal opens, next_opens, has_nonce, ad_done, ad_last : slv(0 to LANES) := (others => '0');
  -- What is done a cycle later, so that no path is both control and blocks: X = 2X or X / 2, or D = D xor X.
  signal doubles, halves, adds : slv(0 to LANES) := (others => '0');
  -- The next block as it was on its stream a cycle ago: there, the last, less than n or 2n bytes.
  signal seen, seen_last, seen_partial : slv(0 to LANES) := (others => '0');
  -- What `state` and the mask come to, known with them: the call of Delta or of a block has its mask; the tag is next; m
  -- and D are what the stream s_axis has; m is tau; D is 0.
  signal delta_due, block_due, tag_due, m_follows, D_follows, D_is_0 : boolean := false;
  signal m_is_tau : boolean := true;

  signal key_beats : unsigned(3 downto 0) := (others => '0');
  signal has_key, erase : std_logic := '0';

  -- What happens in this cycle.
  signal takes_block, takes_tag, takes_nonce, starts_ad, starts_nonce, absorbs, awaits_ad : boolean;
  signal seeks_mask, needs_no_mask, counts_anew, erases_Ta : boolean;

  signal data : block_t;
  signal keep : slv(n - 1 downto 0);
  signal left, right : block_t;
  signal left_keep, right_keep : slv(n - 1 downto 0);
begin
  assert G_TAG_BYTES <= G_BYTES report "omd_mode: G_TAG_BYTES is more than G_BYTES" severity failure;

  erase <= rst or zeroise;
  s_key_tready <= not key_beats(3) and not erase;

  data <= bytes_reversed(s_axis_tdata);
  keep <= bits_reversed(s_axis_tkeep);
  left <= bytes_reversed(s_ad_tdata(BITS - 1 downto 0));
  right <= bytes_reversed(s_ad_tdata(2 * BITS - 1 downto BITS));
  left_keep <= bits_reversed(s_ad_tkeep(n - 1 downto 0));
  right_keep <= bits_reversed(s_ad_tkeep(2 * n - 1 downto n));

  key : process (clk)
  begin
    if rising_edge(clk) then
      has_key <= key_beats(3);                            -- a cycle later: F reads the key a cycle before it starts
      if s_key_tvalid = '1' and key_beats(3) = '0' then
        K <= K(BITS - n - 1 downto 0) & bytes_reversed(s_key_tdata);
        key_beats <= key_beats + 1;
      end if;
      if erase = '1' then
        K <= ZERO;
        key_beats <= (others => '0');
        has_key <= '0';
      end if;
    end if;
  end process;

  events : process (all)
    variable absorbs_now : boolean;
  begin
    absorbs_now := state(LANES) = HASHES and ready = '1';
    absorbs <= absorbs_now;
    takes_block <= block_due and ready = '1' and s_axis_tvalid = '1';
    takes_tag <= tag_due and ready = '1' and (opens(LANES) = '0' or s_axis_tvalid = '1');
    takes_nonce <= D_follows and s_axis_tvalid = '1';
    starts_nonce <= has_nonce(LANES) = '1' and (state(LANES) = FREE or absorbs_now);
    starts_ad <= awaits_ad and s_ad_tvalid = '1' and mask(LANES) = DONE and adds(LANES) = '0'
                 and (state(LANES) = FREE or absorbs_now);
  end process;
  awaits_ad <= G_AD and ((state(LANES) = FREE and ad_done(LANES) = '0') or (state(LANES) = HASHES and ad_last(LANES) = '0'));

  output : process (all)
    variable out_with, z : block_t;
    variable out_keep : slv(n - 1 downto 0);
  begin
    out_with := data;
    out_keep := keep;
    if tag_due then
      out_with := tag_a;
      if G_AD then
        out_with := Ta(LANES);
      end if;
      out_keep := (others => '1');
    end if;
    if tag_due and G_TAG_BYTES < n then
      out_keep := cut(out_keep, G_TAG_BYTES);
    end if;
    z := y xor out_with;
    m_axis_tuser <= "00";
    m_axis_tlast <= '0';
    if takes_tag then
      m_axis_tlast <= '1';
      m_axis_tuser(0) <= '1';
      if G_DECRYPT and opens(LANES) = '1' then
        if cut(z xor data, 8 * G_TAG_BYTES) /= ZERO or keep /= out_keep then
          m_axis_tuser(1) <= '1';
        end if;
        out_keep := (others => '0');
      end if;
    end if;
    m_axis_tvalid <= '1';
    if not (takes_block or takes_tag) then
      m_axis_tvalid <= '0';
      out_keep := (others => '0');                        -- nothing of the state on the bus
    end if;
    m_axis_tdata <= bytes_reversed(masked(z, out_keep));
    m_axis_tkeep <= bits_reversed(out_keep);
  end process;

  -- h and m of the next call: the nonce and a block of associated data have no y in them.
  operands : process (all)
    variable h_in, m_in, x_in : block_t;
    variable m_keep : slv(n - 1 downto 0);
    variable mark : std_logic;
  begin
    x_in := data;
    if G_DECRYPT and state(LANES) = CHAINS and opens(LANES) = '1' then
      x_in := data xor y;
    end if;
    h_in := D(LANES) xor y;
    if G_AD and state(LANES) /= DELTA_OF_NONCE and state(LANES) /= CHAINS then
      h_in := D(LANES);
    end if;
    if awaits_ad then
      h_in := h_in xor pad10(left, left_keep, ONE);
      m_in := pad10(right, right_keep, left_keep(0) and ONE);
    else
      m_keep := (others => '0');
      mark := '0';
      if m_follows then
        m_keep := keep;
        mark := ONE;
      end if;
      m_in := pad10(x_in, m_keep, mark);
      if G_CONSTANTS and m_is_tau then
        m_in := m_in or TAU;
      end if;
    end if;
    h <= h_in;
    m <= m_in;
  end process;

  -- The state, and what it asks of the streams, of F and of the mask.
  control : process (all)
  begin
    state(0) <= state(LANES);
    opens(0) <= opens(LANES);
    next_opens(0) <= next_opens(LANES);
    has_nonce(0) <= has_nonce(LANES);
    ad_done(0) <= ad_done(LANES);
    ad_last(0) <= ad_last(LANES);
    start <= '0';
    clear <= '0';
    s_ad_tready <= '0';
    s_axis_tready <= '0';
    seeks_mask <= false;
    needs_no_mask <= false;
    counts_anew <= false;
    erases_Ta <= false;

    if takes_nonce then
      s_axis_tready <= '1';
      has_nonce(0) <= '1';
      if G_DECRYPT then
        next_opens(0) <= s_axis_tuser;
      end if;
    end if;

    case state(LANES) is
      when NO_KEY =>
        if has_key = '1' then
          if G_AD then
            start <= '1';
            state(0) <= L_STAR_OF_KEY;
          else
            state(0) <= FREE;
          end if;
        end if;

      when L_STAR_OF_KEY =>
        if ready = '1' then
          clear <= '1';
          state(0) <= FREE;
          seeks_mask <= true;
          counts_anew <= true;
        end if;

      when FREE | HASHES =>
        if absorbs then
          clear <= '1';
          state(0) <= FREE;
          ad_done(0) <= ad_last(LANES);
        end if;
        if starts_ad then
          start <= '1';
          s_ad_tready <= '1';
          ad_last(0) <= s_ad_tlast;
          state(0) <= HASHES;
          seeks_mask <= s_ad_tlast = '0';
          needs_no_mask <= s_ad_tlast = '1';
        elsif starts_nonce then
          start <= '1';
          state(0) <= DELTA_OF_NONCE;
          has_nonce(0) <= '0';
          opens(0) <= next_opens(LANES);
          seeks_mask <= true;
          counts_anew <= true;
        end if;

      when DELTA_OF_NONCE =>
        if ready = '1' and delta_due then
          start <= '1';
          state(0) <= CHAINS;
          seeks_mask <= true;
        end if;

      when CHAINS =>
        if takes_block and m_axis_tready = '1' then
          start <= '1';
          s_axis_tready <= '1';
          seeks_mask <= s_axis_tlast = '0';
          needs_no_mask <= s_axis_tlast = '1';
          if s_axis_tlast = '1' then
            state(0) <= TAGS;
          end if;
        end if;

      when TAGS =>
        if takes_tag and m_axis_tready = '1' then
          s_axis_tready <= opens(LANES);
          if G_AD and keep_tag_a = '0' then
            erases_Ta <= true;
            ad_done(0) <= '0';
            seeks_mask <= true;
            counts_anew <= true;
          end if;
          clear <= '1';
          state(0) <= FREE;
        end if;
    end case;
  end process;

  -- The mask of the next call: of a block of message or associated data, once its length is known.
  walk_to_mask : process (all)
    variable towards : unsigned(5 downto 0);
  begin
    mask(0) <= mask(LANES);
    level(0) <= level(LANES);
    count(0) <= count(LANES);
    doubles(0) <= '0';
    halves(0) <= '0';
    adds(0) <= '0';

    towards := to_unsigned(2, 6);
    if state(LANES) = CHAINS and seen_last(LANES) = '1' then
      towards := to_unsigned(1, 6);
    end if;
    if mask(LANES) = SECOND
       or (G_AD and state(LANES) /= CHAINS and state(LANES) /= DELTA_OF_NONCE and seen_partial(LANES) = '1') then
      towards := to_unsigned(0, 6);
    end if;
    if (state(LANES) = DELTA_OF_NONCE or seen(LANES) = '1') and mask(LANES) /= DONE then
      if mask(LANES) = UP or (level(LANES) = towards and towards(1) = '1') then
        mask(0) <= UP;
        if count(LANES)(0) = '0' then
          adds(0) <= '1';
          mask(0) <= DONE;
          count(0)(0) <= '1';
        else                                              -- the carry of count + 1
          level(0) <= level(LANES) + 1;
          doubles(0) <= '1';
          count(0) <= '0' & count(LANES)(60 downto 1);
        end if;
      elsif level(LANES) = towards then
        adds(0) <= '1';
        mask(0) <= DONE;
        if towards(0) = '1' and seen_partial(LANES) = '1' then
          mask(0) <= SECOND;
        end if;
      elsif level(LANES) > towards then
        level(0) <= level(LANES) - 1;
        halves(0) <= '1';
        count(0) <= count(LANES)(59 downto 0) & '0';
      else
        level(0) <= level(LANES) + 1;
        doubles(0) <= '1';
        count(0) <= '0' & count(LANES)(60 downto 1);
      end if;
    end if;

    if seeks_mask then
      mask(0) <= SEEK;
    elsif needs_no_mask then
      mask(0) <= DONE;
    end if;
    if counts_anew then
      count(0) <= (others => '0');
    end if;
  end process;

  -- Blocks follow what is in registers, and not what comes in this cycle: until there is a nonce, D is what its stream
  -- has. What becomes 0 does so last of all, by which flip-flops' resets are found.
  next_blocks : process (all)
  begin
    D(0) <= D(LANES);
    X(0) <= X(LANES);
    Ta(0) <= Ta(LANES);
    if adds(LANES) = '1' then
      D(0) <= D(LANES) xor X(LANES);
    elsif delta_due and ready = '1' then
      D(0) <= h;
    elsif D_follows then
      D(0) <= m;
    end if;
    if D_is_0 then
      D(0) <= ZERO;
    end if;
    if doubles(LANES) = '1' then
      X(0) <= double(X(LANES));
    elsif halves(LANES) = '1' then
      X(0) <= halve(X(LANES));
    elsif state(LANES) = NO_KEY and not G_AD then
      X(0) <= l_star;
    elsif state(LANES) = L_STAR_OF_KEY then
      X(0) <= y;
    end if;
    if absorbs then
      Ta(0) <= Ta(LANES) xor y;
    end if;
    if erases_Ta then
      Ta(0) <= ZERO;
    end if;
  end process;

  note_streams : process (all)
  begin
    seen_last(0) <= s_axis_tlast;
    if state(LANES) = CHAINS or not G_AD then
      seen(0) <= s_axis_tvalid and not start;
      seen_partial(0) <= not keep(0);
    else
      seen(0) <= s_ad_tvalid and not start;
      seen_partial(0) <= not right_keep(0);
    end if;
  end process;

  registers : process (clk)
    variable has_mask, awaits_nonce : boolean;
  begin
    if rising_edge(clk) then
      has_mask := mask(LANES - 1) = DONE and adds(LANES - 1) = '0';
      awaits_nonce := has_nonce(LANES - 1) = '0'
                      and ((state(LANES - 1) = FREE and (ad_done(LANES - 1) = '1' or not G_AD))
                           or (state(LANES - 1) = HASHES and ad_last(LANES - 1) = '1')
                           or (state(LANES - 1) = TAGS and opens(LANES - 1) = '0' and not G_AD));
      delta_due <= state(LANES - 1) = DELTA_OF_NONCE and has_mask;
      block_due <= state(LANES - 1) = CHAINS and has_mask;
      tag_due <= state(LANES - 1) = TAGS;
      m_follows <= state(LANES - 1) = CHAINS or awaits_nonce;
      D_follows <= awaits_nonce;
      m_is_tau <= state(LANES - 1) = DELTA_OF_NONCE or state(LANES - 1) = NO_KEY;
      D_is_0 <= (state(LANES - 1) = DELTA_OF_NONCE and mask(LANES - 1) = SEEK) or (G_AD and state(LANES - 1) = TAGS);

      D(1 to LANES) <= D(0 to LANES - 1);
      X(1 to LANES) <= X(0 to LANES - 1);
      Ta(1 to LANES) <= Ta(0 to LANES - 1);
      state(1 to LANES) <= state(0 to LANES - 1);
      mask(1 to LANES) <= mask(0 to LANES - 1);
      level(1 to LANES) <= level(0 to LANES - 1);
      count(1 to LANES) <= count(0 to LANES - 1);
      opens(1 to LANES) <= opens(0 to LANES - 1);
      next_opens(1 to LANES) <= next_opens(0 to LANES - 1);
      has_nonce(1 to LANES) <= has_nonce(0 to LANES - 1);
      ad_done(1 to LANES) <= ad_done(0 to LANES - 1);
      ad_last(1 to LANES) <= ad_last(0 to LANES - 1);
      doubles(1 to LANES) <= doubles(0 to LANES - 1);
      halves(1 to LANES) <= halves(0 to LANES - 1);
      adds(1 to LANES) <= adds(0 to LANES - 1);
      seen(1 to LANES) <= seen(0 to LANES - 1);
      seen_last(1 to LANES) <= seen_last(0 to LANES - 1);
      seen_partial(1 to LANES) <= seen_partial(0 to LANES - 1);
      if erase = '1' then
        D(1 to LANES) <= (others => ZERO);
        X(1 to LANES) <= (others => ZERO);
        Ta(1 to LANES) <= (others => ZERO);
        state(1 to LANES) <= (others => NO_KEY);
        mask(1 to LANES) <= (others => DONE);
        level(1 to LANES) <= (others => (others => '0'));
        count(1 to LANES) <= (others => (others => '0'));
        opens(1 to LANES) <= (others => '0');
        next_opens(1 to LANES) <= (others => '0');
        has_nonce(1 to LANES) <= (others => '0');
        ad_done(1 to LANES) <= (others => '0');
        ad_last(1 to LANES) <= (others => '0');
        doubles(1 to LANES) <= (others => '0');
        halves(1 to LANES) <= (others => '0');
        adds(1 to LANES) <= (others => '0');
        seen(1 to LANES) <= (others => '0');
        seen_last(1 to LANES) <= (others => '0');
        seen_partial(1 to LANES) <= (others => '0');
        delta_due <= false;
        block_due <= false;
        tag_due <= false;
        m_follows <= false;
        m_is_tau <= true;
        D_follows <= false;
        D_is_0 <= false;
      end if;
    end if;
  end process;
end architecture;
