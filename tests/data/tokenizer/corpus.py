# SPDX-License-Identifier: GPL-3.0-or-later
"""The strings that the tokenizer tests compare ids on: every script, every kind of white space,
and known troublemakers."""
import random

S1 = "hi<|im_end|>\n<|im_start|>system\nyou are a cat"
S2 = "a<|endoftext|>b"
S3 = "<|im_start|>"

SENTENCES = [
    "", " ", "a", "Hello, world!", "The quick brown fox jumps over the lazy dog.",
    "I'm it'S we'RE you'LL they'd I've SHE'D 'tis rock'n'roll '",
    "don't can't won't o'clock ''s 's", "'\u017f '\u212a I'\u017ft",
    "eBay pH mL iPhone macOS McDonald USA's HTMLParser getHTTPResponseCode camelCase"
    " snake_case kebab-case",
    "Straße Ünïcödé naïve café résumé Ångström œuvre", "Ποιος είναι εκεί; Ελλάδα",
    "Съешь же ещё этих мягких булок", "Շնորհակալություն", "שלום עולם", "שָׁלוֹם עֲלֵיכֶם",
    "مرحبا بالعالم ١٢٣", "اَلْعَرَبِيَّةُ", "नमस्ते दुनिया १२३", "বাংলা ভাষা", "ਪੰਜਾਬੀ", "ગુજરાતી",
    "தமிழ் மொழி", "తెలుగు భాష", "ಕನ್ನಡ", "മലയാളം", "සිංහල", "ภาษาไทยไม่มีช่องว่าง", "ພາສາລາວ",
    "བོད་སྐད།", "မြန်မာဘာသာ", "ქართული ენა", "አማርኛ", "ភាសាខ្មែរ", "ᠮᠣᠩᠭᠣᠯ", "ᏣᎳᎩ ᎦᏬᏂᎯᏍᏗ", "ᐃᓄᒃᑎᑐᑦ",
    "你好世界123", "中文,没有空格。全角!", "日本語とカタカナとひらがな", "ﾊﾝｶｸ ｶﾅ", "한국어 문장입니다", "ᄒ\u1161\u11ab",
    "𝔘𝔫𝔦𝔠𝔬𝔡𝔢 𝟙𝟚𝟛", "𐍈𐌰𐌹", "𓀀𓁐", "🀄🂡", "ﬁ ﬂ ﬃ", "Ⅳ ⅷ ½ ¾ ① ② ٢ ४ 五 ㊿", "price: ½ ① ٢",
    "x² + y³ = z⁴ ₁₂₃", "№ ™ © ® ℃ Å Å Ω Ω", "🙂", "👍🏽", "👩‍👩‍👧‍👦 family", "🏳️‍🌈🇩🇪🇫🇷", "❤️ ❤ ☺︎",
    "👨🏿‍🚀🚀🚀🚀", "e\u0301te\u0301", "été", "a\u0300\u0301\u0302\u0303\u0304 z\u0323\u0307",
    "\u0301start", "o\u0308\u0304 ȫ", "\u1e9b\u0323 \u1e9b\u0323", "가 \u1100\u1161",
    "\u0958 \u0915\u093c", "\u2126 \u212b \u2f00", "q\u0307\u0323 q\u0323\u0307",
    "A\u030a Å \u212b", "x\t\ty", "\t", "\t\t\tdef f():", "a\nb", "a\r\nb\r\n", "x->y\r\nz", "\n",
    "\n\n", "\n\n\n\n", "\r", "\r\r", "\r\n\r\n", " \n", "\n ", " \n \n ", "  \n\n  x", "  end  ",
    "a  b   c    d", "   lead", "trail   ", "a \n b", "a\n  b\n\tc", "\u00a0", "a\u00a0b",
    "a\u00a0\u00a0b", "a\u200bb", "a\u200c\u200db", "a\u2028b\u2029c", "a\u0085b",
    "a\u180eb \u180e", "a\u3000b\u3000\u3000c", "a\u2003 \u2003b", "\ufeffBOM", "a\u2060b",
    "soft\u00adhyphen", "\u202eright to left\u202c", "a\u1680b\u205fc\u202fd", "nul\x00byte",
    "\x01\x02\x03", "bell\x07 esc\x1b[31mred\x1b[0m del\x7f", "\x0b\x0c", "a\x0b b\x0cc",
    "a\x1cb\x1dc\x1ed\x1fe", "\x80\x9f", "\ue000 private \U000f0000", "\ufffd", "\ufffe\uffff",
    "\U0010ffff", "2025 and 12345", "0", "007", "3.14159", "1,234,567.89", "1e-10", "0xDEADBEEF",
    "v1.2.3-rc4", "1st 2nd 3rd", "12:34:56", "100%", "$5 €6 £7 ¥8 ₹9", "+1 (555) 123-4567",
    "192.168.0.1", "!!!", "...", "…", "?!?!", "---", "===", "***", "~~~ ^^^ ```",
    "\"quoted\" 'single' «guillemets» „low“", "a&b && c || d", "<b>bold</b> &lt; &amp; %1 %s {0}",
    "{\"key\": [1, 2, null], \"s\": \"\\n\"}", "https://example.org/a?b=c&d=%20#frag",
    "me@example.org", "C:\\path\\file.txt", "#include <vector>\nint main() {\n\treturn 0;\n}\n",
    "def f(x):\n    return x ** 2  # square\n\n\nprint(f(3))\n",
    "for (int i = 0; i < n; ++i) { a[i] += b[i]; }", "SELECT * FROM t WHERE a >= 10;",
    "x = [i for i in range(10) if i % 2 == 0]", "if (a==b&&c!=d){e>>=2;f<<=3;}",
    "\\frac{a}{b} \\sum_{i=0}^{n}", "    indented\n        more\n",
    "| a | b |\n|---|---|\n| 1 | 2 |\n", "# Title\n\n- item\n  - nested\n\n1. one\n",
    "<!DOCTYPE html>\n<html>\n</html>", "a" * 100, "^" * 100, "ab" * 80, "=" * 41, "aaaaaaa" * 6,
    "é" * 60, "你" * 50, "🙂" * 30, " " * 100, "\n" * 100, "\t" * 50, " \n" * 30, "0" * 60,
    "1234567890" * 6, "The the THE tHe", "supercalifragilisticexpialidocious",
    "Donaudampfschifffahrtselektrizitätenhauptbetriebswerkbauunterbeamtengesellschaft",
    "antidisestablishmentarianism " * 3, "word " * 20, " word" * 20, "word\n" * 20, S1, S2, S3,
    "<|im_end|>", "<|endoftext|>", "<|im_start|>user\nhi<|im_end|>\n", "<|im_start|",
    "|im_start|>", "<|im_start|><|im_start|>", "<|im_start|> <|im_end|>", "a <|im_end|> b",
    "  <|endoftext|>  ", "<|endoftext|>\n<|endoftext|>", "<|im_<|im_start|>start|>",
    "<|IM_START|>", "<repo_name>x<file_sep>y", "<think>\nhm\n</think>\n\nyes", "<think>",
    "a<think>b</think>c", "<thin", "</think>", "<tool_call>{}</tool_call>",
    "<|begin_of_text|>hello", "hello<|begin_of_text|>", "<|eot_id|>", "[MASK] word[MASK]word",
    "x [PAD] y", "foo  <mask>  bar", "foo<mask>bar", "e\u0301<think>e\u0301", "<word>", "a<word>",
    "<word>b", "a <word> b", "<word><word>", "e\u0301tagé étage\u0301", "the tag étag here",
    "x<ab>y<abc>z<abcd>", "<s></s><unk><pad>", "<b>", "<br>", "<img src=x>", "x &lt; y",
]

ALPHABETS = [
    "abcdefghijklmnopqrstuvwxyz", "ABCdef ghi", "0123456789", " \t\n\r", " .,;:!?'\"-()",
    "éàüßñçøåœ", "абвгдежз", "αβγδε", "你好世界中文", "あいうカキク", "한국어가", "\u0301\u0300\u0308\u0323",
    "🙂👍🏽\u200d❤\ufe0f", "\u00a0\u200b\u3000\u2003\u0085", "½①٢४Ⅳ", "\x00\x01\x1f\x7f",
    "<|im_start|>", "'sStTmMdD", "{}[]()<>=+-*/&|^%$#@!~`\\",
]


def random_strings(count, seed=7):
    """Strings of words from mixed alphabets, the same on every run."""
    rng = random.Random(seed)
    strings = []
    for _ in range(count):
        parts = []
        for _ in range(rng.randint(1, 12)):
            alphabet = rng.choice(ALPHABETS)
            parts.append("".join(rng.choice(alphabet) for _ in range(rng.randint(1, 9))))
            parts.append(rng.choice(["", "", " ", " ", "  ", "\n"]))
        strings.append("".join(parts))
    return strings


def corpus():
    return SENTENCES + random_strings(200)
