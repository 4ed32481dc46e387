// SPDX-License-Identifier: Apache-2.0 OR MIT
// A sum of two is a carry chain, as it is written: otherwise yosys makes sums of three of (a + m) + b, which puts a row of
// LUTs before the chain of each b, and b comes last.
(* techmap_celltype = "$add" *)
module sum (A, B, Y);
  parameter A_SIGNED = 0, B_SIGNED = 0, A_WIDTH = 1, B_WIDTH = 1, Y_WIDTH = 1;
  input [A_WIDTH-1:0] A;
  input [B_WIDTH-1:0] B;
  output [Y_WIDTH-1:0] Y;
  wire [Y_WIDTH-1:0] propagate, carry;
  \$alu #(.A_SIGNED(A_SIGNED), .B_SIGNED(B_SIGNED), .A_WIDTH(A_WIDTH), .B_WIDTH(B_WIDTH), .Y_WIDTH(Y_WIDTH)) chain (
    .A(A), .B(B), .Y(Y), .CI(1'b0), .BI(1'b0), .X(propagate), .CO(carry));
endmodule
