// SPDX-License-Identifier: Apache-2.0 OR MIT
// Choices of eight and of sixteen, in the multiplexers of ECP5's slices, which join LUTs without a wire between slices. The
// ports are those of yosys's $_MUX8_ and $_MUX16_.
module CHOICE8 (input A, B, C, D, E, F, G, H, S, T, U, output Y);
  wire [3:0] two;
  wire [1:0] four;
  LUT4 #(.INIT(16'hcaca)) ab (.A(A), .B(B), .C(S), .D(1'b0), .Z(two[0]));
  LUT4 #(.INIT(16'hcaca)) cd (.A(C), .B(D), .C(S), .D(1'b0), .Z(two[1]));
  LUT4 #(.INIT(16'hcaca)) ef (.A(E), .B(F), .C(S), .D(1'b0), .Z(two[2]));
  LUT4 #(.INIT(16'hcaca)) gh (.A(G), .B(H), .C(S), .D(1'b0), .Z(two[3]));
  PFUMX abcd (.BLUT(two[0]), .ALUT(two[1]), .C0(T), .Z(four[0]));
  PFUMX efgh (.BLUT(two[2]), .ALUT(two[3]), .C0(T), .Z(four[1]));
  L6MUX21 eight (.D0(four[0]), .D1(four[1]), .SD(U), .Z(Y));
endmodule

module CHOICE16 (input A, B, C, D, E, F, G, H, I, J, K, L, M, N, O, P, S, T, U, V, output Y);
  wire [1:0] eight;
  CHOICE8 low (.A(A), .B(B), .C(C), .D(D), .E(E), .F(F), .G(G), .H(H), .S(S), .T(T), .U(U), .Y(eight[0]));
  CHOICE8 high (.A(I), .B(J), .C(K), .D(L), .E(M), .F(N), .G(O), .H(P), .S(S), .T(T), .U(U), .Y(eight[1]));
  L6MUX21 sixteen (.D0(eight[0]), .D1(eight[1]), .SD(V), .Z(Y));
endmodule
