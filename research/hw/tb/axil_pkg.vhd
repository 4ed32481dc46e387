-- SPDX-License-Identifier: Apache-2.0 OR MIT
-- A master of AXI4-Lite for benches: one write or one read at a time.

library ieee;
use ieee.std_logic_1164.all;
use ieee.numeric_std.all;

package axil_pkg is
  type axil_to_slave is record
    awaddr, araddr : std_logic_vector(11 downto 0);
    wdata : std_logic_vector(31 downto 0);
    wstrb : std_logic_vector(3 downto 0);
    awvalid, wvalid, bready, arvalid, rready : std_logic;
  end record;
  type axil_to_master is record
    awready, wready, bvalid, arready, rvalid : std_logic;
    bresp, rresp : std_logic_vector(1 downto 0);
    rdata : std_logic_vector(31 downto 0);
  end record;
  constant AXIL_IDLE : axil_to_slave := (
    awaddr => (others => '0'), araddr => (others => '0'), wdata => (others => '0'), wstrb => "0000", others => '0');

  procedure axil_write (
    signal clk : in std_logic; signal m : out axil_to_slave; signal s : in axil_to_master;
    address : in std_logic_vector(11 downto 0); data : in std_logic_vector(31 downto 0);
    strobes : in std_logic_vector(3 downto 0); response : out std_logic_vector(1 downto 0));
  procedure axil_read (
    signal clk : in std_logic; signal m : out axil_to_slave; signal s : in axil_to_master;
    address : in std_logic_vector(11 downto 0); data : out std_logic_vector(31 downto 0);
    response : out std_logic_vector(1 downto 0));
end package;

package body axil_pkg is
  procedure axil_write (
    signal clk : in std_logic; signal m : out axil_to_slave; signal s : in axil_to_master;
    address : in std_logic_vector(11 downto 0); data : in std_logic_vector(31 downto 0);
    strobes : in std_logic_vector(3 downto 0); response : out std_logic_vector(1 downto 0)) is
    variable address_taken, data_taken : boolean := false;
  begin
    m.awaddr <= address;
    m.wdata <= data;
    m.wstrb <= strobes;
    m.awvalid <= '1';
    m.wvalid <= '1';
    while not (address_taken and data_taken) loop
      wait until rising_edge(clk);
      if not address_taken and s.awready = '1' then
        address_taken := true;
        m.awvalid <= '0';
      end if;
      if not data_taken and s.wready = '1' then
        data_taken := true;
        m.wvalid <= '0';
      end if;
    end loop;
    m.bready <= '1';
    loop
      wait until rising_edge(clk);
      exit when s.bvalid = '1';
    end loop;
    response := s.bresp;
    m.bready <= '0';
  end procedure;

  procedure axil_read (
    signal clk : in std_logic; signal m : out axil_to_slave; signal s : in axil_to_master;
    address : in std_logic_vector(11 downto 0); data : out std_logic_vector(31 downto 0);
    response : out std_logic_vector(1 downto 0)) is
  begin
    m.araddr <= address;
    m.arvalid <= '1';
    loop
      wait until rising_edge(clk);
      exit when s.arready = '1';
    end loop;
    m.arvalid <= '0';
    m.rready <= '1';
    loop
      wait until rising_edge(clk);
      exit when s.rvalid = '1';
    end loop;
    data := s.rdata;
    response := s.rresp;
    m.rready <= '0';
  end procedure;
end package body;
