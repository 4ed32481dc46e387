-- SPDX-License-Identifier: Apache-2.0 OR MIT
-- KS GEN of the paper's figure 2: a session's keys, L* and Tag_a, from a master key and two identifiers.
--
-- Source: research/hw/docs/packet-format.md, section 3; docs/spec/omd.md, sections 3 and 4.
-- Four calls of F under the master key MK: session number, confirmations, key from A to B, key from B to A. Under each of
-- these two keys two more: L*, and Tag_a of the session's associated data. Each key is shifted out to the core that has
-- its direction; MK and nothing else is left of it here, and MK never leaves.
--
-- Written from the registers, a word of four bytes with the first byte highest, in order (`index`); the last word completes
-- it, and word 0 begins anew: master key, own and peer's identifier, peer's confirmation. `may_…` say whether a command is
-- taken; one that is given all the same does nothing.
-- An identifier is 16 random bytes and an epoch of 8: a number that its side never uses twice, or 0, which `no_own_epoch` and
-- `no_peer_epoch` tell. Two with equal random parts are refused.
-- derive: eight calls, then `derived`. An identifier is used once: both must be written anew.
-- enable: `enabled`, if the peer's confirmation is right; otherwise the session is erased, and `refused` is 1 for a cycle.
-- stop, zeroise, rst: the session is erased, by the latter two the master key, too. MK, K and `enabled` are gone after the
--   next edge. Then `erase` is 1 for four cycles, and `busy` until `erased` says that nothing is left to be erased.
-- Limits: that this side's identifier is fresh is the driver's to see to. Used twice, epoch and all, it repeats the keys: the
--   other side's messages can be replayed.

library ieee;
use ieee.std_logic_1164.all;
use ieee.numeric_std.all;
use work.omd_pkg.all;

entity ks_gen is
  generic (
    G_HASH : string := "sha256";
    G_BYTES : positive := 32;                             -- n
    G_TAG_BYTES : positive := 32;
    G_SUITE : natural := 1;
    G_HALF_ROUND : boolean := false
  );
  port (
    clk, rst : in std_logic;

    word : in slv(31 downto 0);
    index : in natural range 0 to 15;
    write_master, write_own, write_peer, write_confirmation : in std_logic;
    role : in std_logic;                                  -- 0: side A, 1: side B
    derive, enable, stop, zeroise : in std_logic;
    may_derive, may_enable, may_write, may_confirm : out std_logic;
    has_master, derived, busy : out std_logic;
    no_own_epoch, no_peer_epoch : out std_logic;          -- while there are keys
    refused, ended, was_erased : out std_logic;           -- for a cycle; `ended`: a derivation has
    own_confirmation : out slv(127 downto 0);

    erase : out std_logic;
    erased : in std_logic;
    enabled : out std_logic;
    direction : out std_logic;                            -- of what is sealed: 0 from A to B
    session : out slv(31 downto 0);
    key_tdata : out slv(G_BYTES - 1 downto 0);
    seal_key_tvalid, open_key_tvalid : out std_logic;
    seal_key_tready, open_key_tready : in std_logic;
    l_star, seal_tag_a, open_tag_a : out slv(8 * G_BYTES - 1 downto 0)
  );
end entity;

architecture rtl of ks_gen is
  constant n : positive := G_BYTES;
  constant BITS : positive := 8 * n;
  constant WORDS : positive := n / 4;
  subtype block_t is slv(BITS - 1 downto 0);
  constant ZERO : block_t := (others => '0');
  constant TAU : block_t := slv(to_unsigned(8 * G_TAG_BYTES, BITS));
  constant VERSION_AND_SUITE : slv(15 downto 0) := x"02" & slv(to_unsigned(G_SUITE, 8));

  function bytes_of_text (text : string) return slv is
    variable x : slv(8 * text'length - 1 downto 0);
  begin
    for i in text'range loop
      x(8 * (text'length - i) + 7 downto 8 * (text'length - i)) := slv(to_unsigned(character'pos(text(i)), 8));
    end loop;
    return x;
  end function;
  constant LABEL_KEYS : slv(103 downto 0) := bytes_of_text("omd-link keys");
  constant LABEL_AD : slv(63 downto 0) := bytes_of_text("omd-link");
  constant EPOCH_BITS : positive := 64;
  constant NO_EPOCH : slv(EPOCH_BITS - 1 downto 0) := (others => '0');
  -- The random part first, the epoch last.
  subtype identifier_t is slv(127 + EPOCH_BITS downto 0);
  constant IDENTIFIER_WORDS : positive := identifier_t'length / 32;

  function padded (x : slv) return block_t is
    variable y : block_t := ZERO;
  begin
    y(BITS - 1 downto BITS - x'length) := x;
    return y;
  end function;

  -- How many words of a text there are in order, once the word of `index` has come.
  function counted (so_far, number : natural) return natural is
  begin
    if number = 0 or number = so_far then
      return number + 1;
    end if;
    return 0;
  end function;

  type phase is (
    ERASES,                                               -- until `erased`
    IDLE,
    PREPARES, STARTS, RUNS,                               -- a call: F has the key a cycle before it starts
    SENDS,                                                -- a key to its core
    SETTLES                                               -- until the core has L*
  );
  type task is (SESSION_NUMBER, CONFIRMATIONS, THE_KEY, MASK, ASSOCIATED_DATA);
  signal state : phase := ERASES;
  signal doing : task := SESSION_NUMBER;
  signal to_b : std_logic := '0';                         -- the key under way is that from A to B
  signal MK, K, L, tag_seal, tag_open : block_t := ZERO;
  signal own, peer : identifier_t := (others => '0');
  signal confirmation, of_a, of_b : slv(127 downto 0) := (others => '0');
  signal peers_confirmation : slv(127 downto 0);
  -- Comparisons of these, a cycle later: a command comes three cycles after a word at the earliest (registers).
  signal are_equal, is_right : std_logic := '0';
  signal number : slv(31 downto 0) := (others => '0');
  signal master_words : natural range 0 to WORDS := 0;
  signal own_words, peer_words : natural range 0 to IDENTIFIER_WORDS := 0;
  signal confirmation_words : natural range 0 to 4 := 0;
  signal beats : natural range 0 to 8 := 0;
  signal has_keys, is_enabled, is_b, starts_erasing : std_logic := '0';
  signal start, call_done, erases_call : std_logic;
  signal under, h, m, y : block_t;
  signal id_a, id_b : identifier_t;
  signal ad : slv(511 downto 0);
  signal sent : std_logic;
begin
  assert n >= 32 and G_TAG_BYTES <= n report "ks_gen: n is 32 or 64, and a tag is no longer" severity failure;

  id_a <= peer when is_b = '1' else own;
  id_b <= own when is_b = '1' else peer;
  ad <= LABEL_AD & VERSION_AND_SUITE & id_a & id_b & x"80" & slv(to_unsigned(0, 40));
  under <= K when doing = MASK or doing = ASSOCIATED_DATA else MK;
  start <= '1' when state = STARTS else '0';
  erases_call <= starts_erasing or rst;

  inputs : process (all)
    variable purpose : natural range 0 to 4;
  begin
    purpose := 2;
    if doing = SESSION_NUMBER then
      purpose := 4;
    elsif doing = CONFIRMATIONS then
      purpose := 3;
    elsif to_b = '1' then
      purpose := 1;
    end if;
    h <= padded(LABEL_KEYS & VERSION_AND_SUITE & slv(to_unsigned(purpose, 8)) & id_a(EPOCH_BITS - 1 downto 0)
                & id_b(EPOCH_BITS - 1 downto 0));
    m <= padded(id_a(id_a'high downto EPOCH_BITS) & id_b(id_b'high downto EPOCH_BITS));
    if doing = MASK then
      h <= ZERO;
      m <= TAU;
    elsif doing = ASSOCIATED_DATA then
      -- One block of 2n bytes that is not full: its mask is L*.
      h <= ad(511 downto 512 - BITS) xor L;
      m <= ZERO;
      if n = 32 then
        m <= ad(BITS - 1 downto 0);
      end if;
    end if;
  end process;

  F : entity work.omd_compression
    generic map (G_HASH => G_HASH, G_BYTES => n, G_HALF_ROUND => G_HALF_ROUND)
    port map (clk => clk, rst => erases_call, start => start, clear => '0', ready => call_done, k => under, h => h, m => m, y => y);

  has_master <= '1' when master_words = WORDS else '0';
  may_write <= '1' when state = IDLE and has_keys = '0' else '0';
  may_derive <= '1' when state = IDLE and has_keys = '0' and master_words = WORDS and own_words = IDENTIFIER_WORDS
                and peer_words = IDENTIFIER_WORDS and are_equal = '0' else '0';
  may_confirm <= '1' when state = IDLE and has_keys = '1' and is_enabled = '0' else '0';
  may_enable <= '1' when state = IDLE and has_keys = '1' and is_enabled = '0' and confirmation_words = 4 else '0';
  derived <= has_keys;
  no_own_epoch <= has_keys when own(NO_EPOCH'range) = NO_EPOCH else '0';
  no_peer_epoch <= has_keys when peer(NO_EPOCH'range) = NO_EPOCH else '0';
  enabled <= is_enabled;
  direction <= is_b;
  session <= number;
  own_confirmation <= of_b when is_b = '1' else of_a;
  peers_confirmation <= of_a when is_b = '1' else of_b;
  busy <= '0' when state = IDLE and starts_erasing = '0' else '1';

  -- A to B is what A seals, and B opens.
  sent <= to_b xor is_b;                                  -- the key under way is of what is sealed
  key_tdata <= bytes_reversed(K(BITS - 1 downto BITS - n));
  seal_key_tvalid <= '1' when state = SENDS and sent = '1' else '0';
  open_key_tvalid <= '1' when state = SENDS and sent = '0' else '0';
  l_star <= L;
  seal_tag_a <= tag_seal;
  open_tag_a <= tag_open;

  registers : process (clk)
    variable erases_session, erases_master : boolean;
  begin
    if rising_edge(clk) then
      erases_session := stop = '1' or zeroise = '1' or rst = '1';
      erases_master := zeroise = '1' or rst = '1';
      refused <= '0';
      ended <= '0';
      was_erased <= '0';
      starts_erasing <= '0';

      are_equal <= '1' when own(own'high downto EPOCH_BITS) = peer(peer'high downto EPOCH_BITS) else '0';
      is_right <= '1' when confirmation = peers_confirmation else '0';
      if may_write = '1' then
        is_b <= role;
        if write_master = '1' then
          MK <= MK(BITS - 33 downto 0) & word;
          master_words <= counted(master_words, index);
        end if;
        if write_own = '1' then
          own <= own(own'high - 32 downto 0) & word;
          own_words <= counted(own_words, index);
        end if;
        if write_peer = '1' then
          peer <= peer(peer'high - 32 downto 0) & word;
          peer_words <= counted(peer_words, index);
        end if;
      end if;
      if may_confirm = '1' and write_confirmation = '1' then
        confirmation <= confirmation(95 downto 0) & word;
        confirmation_words <= counted(confirmation_words, index);
      end if;

      case state is
        when ERASES =>
          erase <= '0';
          if beats < 4 then
            erase <= '1';
            beats <= beats + 1;
          elsif beats < 7 then                            -- what is to be erased says so
            beats <= beats + 1;
          elsif erased = '1' then
            was_erased <= '1';
            state <= IDLE;
          end if;

        when IDLE =>
          if derive = '1' and may_derive = '1' then
            state <= PREPARES;
            doing <= SESSION_NUMBER;
            to_b <= '1';
            own_words <= 0;
            peer_words <= 0;
          elsif derive = '1' and own_words = IDENTIFIER_WORDS and peer_words = IDENTIFIER_WORDS and are_equal = '1' then
            refused <= '1';
          end if;
          if enable = '1' and may_enable = '1' then
            confirmation_words <= 0;
            if is_right = '1' then
              is_enabled <= '1';
            else
              refused <= '1';
              erases_session := true;
            end if;
          end if;

        when PREPARES =>
          state <= STARTS;

        when STARTS =>
          state <= RUNS;

        when RUNS =>
          if call_done = '1' then
            state <= PREPARES;
            case doing is
              when SESSION_NUMBER =>
                number <= y(BITS - 1 downto BITS - 32);
                doing <= CONFIRMATIONS;
              when CONFIRMATIONS =>
                of_a <= y(BITS - 1 downto BITS - 128);
                of_b <= y(BITS - 129 downto BITS - 256);
                doing <= THE_KEY;
              when THE_KEY =>
                K <= y;
                doing <= MASK;
              when MASK =>
                L <= y;
                doing <= ASSOCIATED_DATA;
              when ASSOCIATED_DATA =>
                if sent = '1' then
                  tag_seal <= y;
                else
                  tag_open <= y;
                end if;
                state <= SENDS;
                beats <= 0;
            end case;
          end if;

        when SENDS =>
          if (sent = '1' and seal_key_tready = '1') or (sent = '0' and open_key_tready = '1') then
            K <= K(BITS - n - 1 downto 0) & (n - 1 downto 0 => '0');
            beats <= beats + 1;
            if beats = 7 then
              state <= SETTLES;
              beats <= 0;
            end if;
          end if;

        when SETTLES =>
          beats <= beats + 1;
          if beats = 4 then
            L <= ZERO;
            doing <= THE_KEY;
            to_b <= '0';
            state <= PREPARES;
            if to_b = '0' then
              has_keys <= '1';
              ended <= '1';
              state <= IDLE;
            end if;
          end if;
      end case;

      if erases_session then
        state <= ERASES;
        starts_erasing <= '1';
        has_keys <= '0';
        is_enabled <= '0';
        K <= ZERO;
        L <= ZERO;
        tag_seal <= ZERO;
        tag_open <= ZERO;
        number <= (others => '0');
        of_a <= (others => '0');
        of_b <= (others => '0');
        confirmation <= (others => '0');
        own <= (others => '0');
        peer <= (others => '0');
        own_words <= 0;
        peer_words <= 0;
        confirmation_words <= 0;
        beats <= 0;
        doing <= SESSION_NUMBER;
        to_b <= '0';
      end if;
      if erases_master then
        MK <= ZERO;
        master_words <= 0;
        is_b <= '0';
      end if;
    end if;
  end process;
end architecture;
