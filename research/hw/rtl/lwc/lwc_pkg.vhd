-- SPDX-License-Identifier: Apache-2.0 OR MIT
-- Words of the LWC hardware API: instructions, headers of segments, status.
--
-- Source: the API's specification (GMU, "Hardware API for Lightweight Cryptography"), W = SW = 32.
-- A word has its first byte highest. An instruction or a status has its code in bits 31 to 28, and zeros. A header has the
-- segment's type there, then partial (not used), EOI, EOT: the last segment of its type, Last: the last of the message; and in
-- bits 15 to 0 the segment's bytes.

library ieee;
use ieee.std_logic_1164.all;
use ieee.numeric_std.all;
use work.omd_pkg.all;
use work.link_pkg.all;

package lwc_pkg is
  subtype word_t is slv(31 downto 0);
  subtype code_t is slv(3 downto 0);

  constant ENCRYPT_CODE : code_t := x"2";
  constant DECRYPT_CODE : code_t := x"3";
  constant LOAD_KEY_CODE : code_t := x"4";
  constant ACTIVATE_KEY_CODE : code_t := x"7";
  constant SUCCESS_CODE : code_t := x"E";
  constant FAILURE_CODE : code_t := x"F";

  constant AD_TYPE : code_t := x"1";
  constant PLAINTEXT_TYPE : code_t := x"4";
  constant CIPHERTEXT_TYPE : code_t := x"5";
  constant TAG_TYPE : code_t := x"8";
  constant KEY_TYPE : code_t := x"C";
  constant NONCE_TYPE : code_t := x"D";

  function code_of (word : word_t) return code_t;
  function ends_type (header : word_t) return std_logic;
  function ends_message (header : word_t) return std_logic;
  function length_of (header : word_t) return length_t;
  function status_word (code : code_t) return word_t;
  function header_word (segment_type : code_t; eot, last : std_logic; length : length_t) return word_t;

  -- How many bytes tkeep marks.
  function count_of (keep : slv) return length_t;
end package;

package body lwc_pkg is
  function code_of (word : word_t) return code_t is
  begin
    return word(31 downto 28);
  end function;

  function ends_type (header : word_t) return std_logic is
  begin
    return header(25);
  end function;

  function ends_message (header : word_t) return std_logic is
  begin
    return header(24);
  end function;

  function length_of (header : word_t) return length_t is
  begin
    return unsigned(header(15 downto 0));
  end function;

  function status_word (code : code_t) return word_t is
  begin
    return code & x"0000000";
  end function;

  function header_word (segment_type : code_t; eot, last : std_logic; length : length_t) return word_t is
  begin
    return segment_type & "00" & eot & last & x"00" & slv(length);
  end function;

  function count_of (keep : slv) return length_t is
    variable count : unsigned(7 downto 0) := (others => '0');
  begin
    for i in keep'range loop
      if keep(i) = '1' then
        count := count + 1;
      end if;
    end loop;
    return resize(count, length_t'length);
  end function;
end package body;
