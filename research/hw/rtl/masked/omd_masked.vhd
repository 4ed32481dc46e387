-- SPDX-License-Identifier: Apache-2.0 OR MIT
-- OMD-sha256 in two shares, against power analysis of first order: seals packets.
--
-- Source: docs/spec/omd.md; masked_sha256_core has that of the masking.
-- All of OMD but F is linear: each share has an omd_mode of its own, the first of which adds the constants. Both have one F.
-- Ports are omd_core's, n = 32, but that each string comes and leaves in two shares, share 0 in the lower half: key, associated
-- data, nonce, message, l_star and tag_a; ciphertext and tag. Their lengths, tkeep and tlast are no secrets.
-- What is public has any sharing: the value in share 0 and zeros in share 1 will do. What is secret needs a uniform one.
-- random, random_valid: masked_sha256_core says what they must be.
-- C = 2883 in the table of cycles.
-- Limits: it does not open, as the comparison of tags would have to be masked, too. First order. Put a register behind each
-- share of m_axis before both are added: until they settle, wires show what is not ciphertext.

library ieee;
use ieee.std_logic_1164.all;
use work.omd_pkg.all;
use work.masked_pkg.all;

entity omd_masked is
  generic (
    G_TAG_BYTES : positive := 32;
    G_AD : boolean := true                                -- computes L* and hash(A)
  );
  port (
    clk, rst, zeroise : in std_logic;

    s_key_tdata : in slv(63 downto 0);
    s_key_tvalid : in std_logic;
    s_key_tready : out std_logic;

    s_ad_tdata : in slv(1023 downto 0) := (others => '0');
    s_ad_tkeep : in slv(63 downto 0) := (others => '0');
    s_ad_tlast, s_ad_tvalid : in std_logic := '0';
    s_ad_tready : out std_logic;
    keep_tag_a : in std_logic := '0';

    s_axis_tdata : in slv(511 downto 0);
    s_axis_tkeep : in slv(31 downto 0);
    s_axis_tlast, s_axis_tvalid : in std_logic;
    s_axis_tready : out std_logic;

    m_axis_tdata : out slv(511 downto 0);
    m_axis_tkeep : out slv(31 downto 0);
    m_axis_tuser : out slv(1 downto 0);
    m_axis_tlast, m_axis_tvalid : out std_logic;
    m_axis_tready : in std_logic;

    l_star, tag_a : in slv(511 downto 0) := (others => '0');

    random : in slv(RANDOM_BITS - 1 downto 0);
    random_valid : in std_logic
  );
end entity;

architecture rtl of omd_masked is
  signal erase, ready : std_logic;
  signal k, h, m, y : masked_block;
  -- Both modes' are the same.
  signal start, clear, key_ready, ad_ready, in_ready, out_last, out_valid : slv(0 to 1);
  type keeps is array (0 to 1) of slv(31 downto 0);
  type users is array (0 to 1) of slv(1 downto 0);
  signal out_keep : keeps;
  signal out_user : users;
begin
  erase <= rst or zeroise;
  s_key_tready <= key_ready(0);
  s_ad_tready <= ad_ready(0);
  s_axis_tready <= in_ready(0);
  m_axis_tkeep <= out_keep(0);
  m_axis_tuser <= out_user(0);
  m_axis_tlast <= out_last(0);
  m_axis_tvalid <= out_valid(0);

  share : for i in 0 to 1 generate
    mode : entity work.omd_mode
      generic map (G_BYTES => 32, G_TAG_BYTES => G_TAG_BYTES, G_DECRYPT => false, G_AD => G_AD, G_CONSTANTS => i = 0)
      port map (
        clk => clk, rst => rst, zeroise => zeroise,
        s_key_tdata => s_key_tdata(32 * i + 31 downto 32 * i), s_key_tvalid => s_key_tvalid, s_key_tready => key_ready(i),
        s_ad_tdata => s_ad_tdata(512 * i + 511 downto 512 * i), s_ad_tkeep => s_ad_tkeep, s_ad_tlast => s_ad_tlast,
        s_ad_tvalid => s_ad_tvalid, s_ad_tready => ad_ready(i), keep_tag_a => keep_tag_a,
        s_axis_tdata => s_axis_tdata(256 * i + 255 downto 256 * i), s_axis_tkeep => s_axis_tkeep, s_axis_tuser => '0',
        s_axis_tlast => s_axis_tlast, s_axis_tvalid => s_axis_tvalid, s_axis_tready => in_ready(i),
        m_axis_tdata => m_axis_tdata(256 * i + 255 downto 256 * i), m_axis_tkeep => out_keep(i), m_axis_tuser => out_user(i),
        m_axis_tlast => out_last(i), m_axis_tvalid => out_valid(i), m_axis_tready => m_axis_tready,
        l_star => l_star(256 * i + 255 downto 256 * i), tag_a => tag_a(256 * i + 255 downto 256 * i),
        start => start(i), clear => clear(i), ready => ready, k => k(i), h => h(i), m => m(i), y => y(i));
  end generate;

  F : entity work.masked_sha256_core
    port map (clk => clk, rst => erase, start => start(0), clear => clear(0), ready => ready, k => k, h => h, m => m, y => y,
              random => random, random_valid => random_valid);
end architecture;
