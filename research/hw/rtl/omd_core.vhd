-- SPDX-License-Identifier: Apache-2.0 OR MIT
-- OMD: seals and opens packets under one key, with one keyed compression function for everything.
--
-- Source: docs/spec/omd.md, sections 3 to 6, the secure rule for empty inputs.
-- Security: section 8 there. A nonce must never repeat under a key; the core does not see to it.
--   When it opens (tuser of the nonce), the message that comes out IS UNVERIFIED until the last beat says
--   otherwise: omd_decrypt_buffer keeps it back. Of a wrong tag nothing is shown but that it is wrong.
--
-- Streams, AXI4-Stream, the first byte lowest, tkeep without holes; n = 32 (sha256) or 64 bytes:
--   s_key   eight beats of n/8 bytes, the key and its zeros. Read once: another key needs `zeroise` first.
--   s_ad    associated data in beats of 2n bytes, all full but the last, which has tlast. Empty: one beat, tkeep = 0.
--           Taken before the nonce, of each packet, or of the first only (keep_tag_a). Only with G_AD.
--   s_axis  the nonce, one beat of less than n bytes, tuser = 1 to open and 0 to seal; the message or ciphertext, all
--           beats full but the last, which has tlast (empty: one beat, tkeep = 0); to open, the tag, one beat.
--   m_axis  a beat for each of message or ciphertext; then, with tlast and tuser(0), the tag, or, when it opened, an
--           empty beat with tuser(1) = 1 if the tag was wrong.
-- l_star, tag_a: L* and hash(A), where G_AD is false, the first byte highest: l_star from before the key's last beat until
--   two cycles after it, tag_a until the tag is taken. Otherwise they are not read, and the core computes both.
-- keep_tag_a: 1 with a packet's last beat out: the next packet has the same associated data, which is not sent again.
--   Only with G_AD.
-- zeroise, rst: after the next edge no register keeps anything, and what was under way is forgotten.
-- Without a register: s_axis to m_axis, m_axis_tready to s_axis_tready, tvalid to tready.
--
-- Cycles, C = 65, 81, 13 for sha256, sha512, blake2b, and 25 with G_HALF_ROUND, with everything valid and ready: from
-- the nonce to the first beat out 2C + 1; per block C; from the last block to the tag C; between packets 1. With G_AD: C
-- for the key, C for each 2n bytes, and between packets that keep Tag_a 2.
-- blake2b, a round per cycle, waits for masks (omd_mode): k - 9 cycles at each of the blocks 2^k - 1 and 2^k, k > 9, and for a
-- last block after them up to k - 6.
-- Limits: 2^58 blocks. G_TAG_BYTES is fixed, as L* depends on it.
--
-- G_INTERLEAVE = 4: four packets at once, each in every fourth cycle; all ports but s_key speak of the packet whose
-- cycle it is. omd_lanes gives them streams of their own.

library ieee;
use ieee.std_logic_1164.all;
use work.omd_pkg.all;

entity omd_core is
  generic (
    G_HASH : string := "blake2b";                         -- sha256, sha512, blake2b
    G_BYTES : positive := 64;                             -- n: 32 for sha256, otherwise 64
    G_TAG_BYTES : positive := 64;
    G_INTERLEAVE : positive := 1;                         -- 1 or 4
    G_HALF_ROUND : boolean := false;                      -- blake2b, without interleaving: half a round per cycle
    G_DECRYPT : boolean := true;                          -- opens, too
    G_AD : boolean := true                                -- computes L* and hash(A)
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

    l_star, tag_a : in slv(8 * G_BYTES - 1 downto 0) := (others => '0')
  );
end entity;

architecture rtl of omd_core is
  signal erase, start, clear, ready : std_logic;
  signal k, h, m, y : slv(8 * G_BYTES - 1 downto 0);
begin
  erase <= rst or zeroise;

  mode : entity work.omd_mode
    generic map (
      G_BYTES => G_BYTES, G_TAG_BYTES => G_TAG_BYTES, G_INTERLEAVE => G_INTERLEAVE, G_DECRYPT => G_DECRYPT, G_AD => G_AD)
    port map (
      clk => clk, rst => rst, zeroise => zeroise,
      s_key_tdata => s_key_tdata, s_key_tvalid => s_key_tvalid, s_key_tready => s_key_tready,
      s_ad_tdata => s_ad_tdata, s_ad_tkeep => s_ad_tkeep, s_ad_tlast => s_ad_tlast, s_ad_tvalid => s_ad_tvalid,
      s_ad_tready => s_ad_tready, keep_tag_a => keep_tag_a,
      s_axis_tdata => s_axis_tdata, s_axis_tkeep => s_axis_tkeep, s_axis_tuser => s_axis_tuser, s_axis_tlast => s_axis_tlast,
      s_axis_tvalid => s_axis_tvalid, s_axis_tready => s_axis_tready,
      m_axis_tdata => m_axis_tdata, m_axis_tkeep => m_axis_tkeep, m_axis_tuser => m_axis_tuser, m_axis_tlast => m_axis_tlast,
      m_axis_tvalid => m_axis_tvalid, m_axis_tready => m_axis_tready, l_star => l_star, tag_a => tag_a,
      start => start, clear => clear, ready => ready, k => k, h => h, m => m, y => y);

  F : entity work.omd_compression
    generic map (G_HASH => G_HASH, G_BYTES => G_BYTES, G_INTERLEAVE => G_INTERLEAVE, G_HALF_ROUND => G_HALF_ROUND)
    port map (clk => clk, rst => erase, start => start, clear => clear, ready => ready, k => k, h => h, m => m, y => y);
end architecture;
