"""The keys of the kit: key files, identities of age, passphrases. None protects anything."""

import hashlib

import polyseal_file as f


def shake(n, *what):
    name = "/".join(("polyseal", "file-format", *map(str, what)))
    return hashlib.shake_256(name.encode()).digest(n)


KEY_1, KEY_2, KEY_3 = (shake(32, f"key file {k}") for k in (1, 2, 3))
AGE_1, AGE_2, AGE_3 = (f.x25519_identity(shake(32, f"age {k}")) for k in (1, 2, 3))
AGE_HYBRID = (
    f.bech32_encode("age-secret-key-pq-", shake(32, "age hybrid")).upper(),
    "age1pq1q76t500xqsqe2mrpq09ht0z8htzuehkywlj9rs9yvk9glkxw3fe2zwze2thdg9d47wjsdvtwjy4x2pw8s57"
    "yjtm0y452vhy0d2zm2n2zsds4kxxq2cu8pxdlqgc40kn2tlafgxpqvx09dpcqrnz97lqycysdweqd8dd647j5hsyf5"
    "avt3yqlq99kpdz2l5rntatx4qzcs8xs4ge90ggg9cpx28gc5ew3psvfgqr0ykf8hxkp7j5hy86mfjhvnst2xe83262"
    "8cnmm48d54x3dtye99q6g5nym46nejwejj33rnnyegxa5wqr3c53zneg8yrcf8nuq0zrc3emmeg93qqqdcyg5885je"
    "ge0yj679safg829vlsr8drgljv8x5al8p5tsx8x824tvewnwpe6c2ztsdazp4mgng5q2e0lfju3xjeu4l3yk5smwa7"
    "yvjwtucn02uufyg6m0n842cfgjv2c7e8df27r6jdjd3nzrzpnz2074w0kcz5a2q3pewvnhegsv8t4zc52wy406w98l"
    "sd35sqvqgfr8jcdv5ga7k6r2g0gdmc9zf2nw3z5um900xc9n9syg3glxx7rw9kehzgkhwf29mveyfssd35e73m4d6z"
    "cem4ggfj6srjqfj24gszh2lyr5hq4lenns8avy8eee2py5auyvcv2v5zq8l3x43hq6pk3jqcc7zmvsz9ujkpw5s54l"
    "gwrnw6tzuafz36sfy76ya6gf9xe9uvph0vr0quu3sdch03l30qqdjs9t7auf099cj0k5z4msf8kkpnuewery35gczv"
    "3q6p0498u66sw9urv4tgj3glhkmkvwt94fznplwrk7sa6twdy0sfxtxlgv0rrseeje4vtzwj9vyzykuv8f29669ejf"
    "pl8jhwqf9dqcx9um7k0xk6gsfs9p6h0r08f4j7wqgevf52ccv9kqexk339fn2zre3pl7w7y3pcj4sjyxf733xctqyj"
    "3tla9wmkuk0fsxqp8vw7xxjtsnxjv75hgj2fdzlay8gjktn95wk38dnezxqmh4sn5qp4ghzsxrh9x78265h9m336m6"
    "ffyukx2c9d6rl76w6lw4f4y5gsgu4z3xfs6t0myxfjmc22uagcshgqz5k4zz0yg89w5san6rgatphqut33uu6gqwkf"
    "5h8zlddjdr97tw4zr85yukasqjzxcjw3cq9na3ktgkhn5p2jlw9aga2jg4mzhwtjk28qnh30jd3d25yfjlv2ene9yv"
    "kjyncdg39rpeg2dfud48lp4wkcn04s8wjhgyyew95kwrvarxs9ykrpanryrkjw4sage2l4mvcxe8rsx59z39fapfd3"
    "gsef5l5039rg9vr0s6xwz9krqr26nmsps94rmpfenyd595j4fgrrzrlj8trq209l6nsh4lhpjstqp0lmqpcnekr0s5"
    "myscuthmcgjsy4m335mz4w4zsupdcns5l4p4aj69zkrvjxkvjjqw6rwan4rz9v3n535s8cfszu4wwms0z3uych2s94"
    "vz6gqg4q7cevx9cx8365s4ts8zjq6q3uquc400r782t3hhalnfnduj9vvzwup3rc547s949emwkprgup29vvld5nt5"
    "4u5rqa95dfuqwz6fdadpjvj9lwn57l4rsggtwqrmfecrde6xuz90vl85fm53nzx09eaqsj2sgdygjcss2czg4sx2qn"
    "z7v2p98s2tamgzzg66ehgnjmvp5a634pkw3vg2hhz5yjm9vsr85vvddzezqz7c3rnyuk8ddu2mqe82kqpwapc3sknw"
    "evtgd6vz8v60dl5zn2eyuvl5jrv37kqnafrweyp06lr82u439lrnyzqpyydfsj08rwdvqmq6h0jayy3vlq43l2pp6v"
    "r4g6qcgvw2y2r4f43ruaa5gsvhtjjgfv30e940a3gv9umpcrwxn4jnqja0lqmzsvlzm47",
)
PASSPHRASES = {
    "passphrase": (b"correct horse battery staple", 1),
    "passphrase-other": (b"correct horse battery stapler", 1),
    "passphrase-with-line-feed": (b"correct horse battery staple\n", 1),
    "passphrase-1-byte": (b"x", 1),
    "passphrase-4096-bytes": (b"0123456789abcdef", 256),
    "passphrase-not-utf-8": (bytes.fromhex("ff00fe80"), 1),
    "passphrase-utf-8": ("pässwörd €".encode(), 1),
}


def key_table():
    table = {}
    for name, key in (("key-file-1", KEY_1), ("key-file-2", KEY_2), ("key-file-3", KEY_3)):
        table[name] = {"kind": "key-file", "hex": key.hex()}
    for name, (piece, times) in PASSPHRASES.items():
        table[name] = {"kind": "passphrase", "hex": piece.hex(), "times": times}
    for name, (identity, recipient) in (("age-1", AGE_1), ("age-2", AGE_2), ("age-3", AGE_3),
                                        ("age-hybrid", AGE_HYBRID)):
        table[name] = {"kind": "age", "identity": identity, "recipient": recipient}
    return table


# Made by age 1.3.1: they wrap FROM_AGE_KEY for AGE_HYBRID and for AGE_1.
FROM_AGE_KEY = shake(16, "wrapping key of age itself")
FROM_AGE = {
    "hybrid": ("mlkem768x25519",
               "klzdULy+XQVgdc7Rs+6egn0gatSYT2OpOHT87cyEUBB2KDxVWnhbN22DbsS4rkZcsPju8B6h/0Lq777VinhP"
               "liYgaKhuHk7d2owFejgNDfS2waXeU70MGM728AB3ed6iaGy6yIE5Mxatqcca/zTWs8irjdzk51PGEECrCqAI"
               "EpcNneBhNTtSqurSfkQcmFdj2uK5E57ekchHzO9WCuS87cBXp/zbGZ3ERO8vkn1MIvrCAV5q4AZtPsK6BOIn"
               "FccBUS/sjI6I5vuiJv8odynBnRF/gq3Uj9dUA8ixYasVJENlpx40ncKN4yizu37hq+pTz+wJu43KTw76CaBZ"
               "eO/xav3VSzqe6+njOTgfKO/Q4eU0d38lLJYOjRszCiC83KldooSmbQxZ7GSHVVbk603R95tVKYUC4yHhk+Me"
               "Xjm+S5ayUYKQAB15QKVCVCjMZyMkqc+j6ruLTgGcICViXEgRN7yjH+aEs7IdMrjahoWXTOPsL/0g6JHXDjQy"
               "coCZHUFn4Ey5LXtAY711cnm4kgbceqfs7vPKz0eogkKhaNj7MVNxfh919kuPLnm/+gFB+p39bn0puXIX0Le9"
               "qdOxO+pyhKLu8J17QNVtbfdW7hXpfNpQiqqKTpHQiYtZ7WMvLIecguODR8n9uyRBTlsB1JZviOEfLFyaHsTf"
               "xg3FsCq0fPrQP7Ua30f2onIwzA2koMbhEHrThW2bLIRxNVnZxH88aB+eWDwqih3LeHI2KNHHapBJoIUh1Yoj"
               "ZXD8UjnaP18jw1QPXaCp7JxFnesvcyIOyRfUhsdMACCT58+XByYjJxZ2PElTdeEH3N9UeTptGq4AdkPH6IMm"
               "ddOtTQD4fSqJLsoq0FWvXzQuRSwNAxeoqqo8KTpyPTRSSV2d0dw1SmZxE4NdmP3lJ7Sjcud5SyUJzmFi2O44"
               "Rt2wHlafxvRZUIlayJgB3C3O1oYNjW+2JVKbtJTaCf0Ai1gU2PG+BN840u8ErL/IdeR7abZPzYn/6yYwVSX+"
               "8ChseFoc4O6kjnXvAWofP3rG3Z3nYbhw+cBRkiY/5YbUsalQTT5Ndn7azTv6KnaAyojZk2OwBJIhOEiGMR7U"
               "tiz4qXBezawqJZ3aGa+8SWGou8i0I8sBn3iZTfEw+bi7nIju/+hxCB29ocu09w/c0Tb9aSqUwss2g8MHa2JL"
               "xb66ZRhRLNJ5G8MmBJNCGwe1jmgRy8/240LN8GgZUrYFKzyGzmZ3f6SNrYaMZe18s1IId0dMs51LfZ6OGoDK"
               "KYGXeWULHsdXODC0XzyF1MqKAhDGuS+84NZP45PFCVr110qugfOCkzjYi0MstzkWwiVEdHpbNiApKfbj4/MX"
               "zzv0XGJ2MbLLby5vMsVCXhUxzmBo9GIZtiGKmV5zxtQsiTQB/8tN/gqpAtQ4hZFQb68jYHVz5/ydrtMeTUFj"
               "HF3zMgLdCsIu9XE9E3ybE3HraOLbv17yBhhEhuXKmNBBptTx3xrT2BOfRY+UqNkaBg",
               "BCzYrr57IGEZD3EygeinFtu1oyJ0Kyq5/ZnfG7KYRY0"),
    "x25519": ("X25519", "eZErx2wzTjW5oQ5Eg1BwcD5A7UVt4HKpZKrqxTLiF1U",
               "xSNAeLmrX1PlKRAPdQVQTQk2f2Szc2GsnkMXQ3B5bhU"),
}


def from_age(which):
    type_, argument, body = FROM_AGE[which]
    return f"-> {type_} {argument}\n{body}\n".encode()
