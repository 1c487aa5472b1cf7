// Text and numbers as the collector hands them over, and digests of what it does not. It
// is evaluated in front of the collector, in the same isolated world.
(() => {
  'use strict';
  if (globalThis.__pagestate_text) return;
  const DIGITS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';

  // Numbers is a list of numbers as text.
  const CODES = new TextEncoder().encode(DIGITS), latin1 = new TextDecoder('latin1');
  const MAX_KEPT = 1 << 20;
  class Numbers {
    constructor(size) { this.bytes = new Uint8Array(size); this.length = 0; }
    put(n) {
      if (this.length + 8 > this.bytes.length) this.grow();
      for (; n >= 32; n = n / 32 | 0) this.bytes[this.length++] = CODES[n & 31 | 32];
      this.bytes[this.length++] = CODES[n];
    }
    toString() { return latin1.decode(this.bytes.subarray(0, this.length)); }
    // empty takes all numbers away. Room for many is not kept.
    empty() {
      this.length = 0;
      if (this.bytes.length > MAX_KEPT) this.bytes = new Uint8Array(512);
      return this;
    }
    // copy adds a part of other.
    copy(other, start, end) {
      while (this.length + end - start + 8 > this.bytes.length) this.grow();
      this.bytes.set(other.bytes.subarray(start, end), this.length);
      this.length += end - start;
    }
    grow() {
      const larger = new Uint8Array(this.bytes.length * 2);
      larger.set(this.bytes);
      this.bytes = larger;
    }
  }

  // digest is Chaskey with 12 rounds (Mouha et al., 2014), a keyed 128-bit code of
  // 32-bit operations, over the UTF-16 units of text.
  const digest = (text, key) => {
    const [k0, k1, k2, k3] = key, n = text.length;
    let a = k0, b = k1, c = k2, d = k3;
    // The length goes first, so that the last block needs no mark.
    for (let i = -8; i < n; i += 8) {
      if (i < 0) a ^= n;
      else if (i + 8 <= n) {
        a ^= text.charCodeAt(i) | text.charCodeAt(i + 1) << 16;
        b ^= text.charCodeAt(i + 2) | text.charCodeAt(i + 3) << 16;
        c ^= text.charCodeAt(i + 4) | text.charCodeAt(i + 5) << 16;
        d ^= text.charCodeAt(i + 6) | text.charCodeAt(i + 7) << 16;
      } else {
        const rest = [0, 0, 0, 0];
        for (let j = 0; i + j < n; j++) rest[j >> 1] |= text.charCodeAt(i + j) << 16 * (j & 1);
        a ^= rest[0]; b ^= rest[1]; c ^= rest[2]; d ^= rest[3];
      }
      if (i + 8 >= n) { a ^= k0; b ^= k1; c ^= k2; d ^= k3; }
      for (let r = 0; r < 12; r++) {
        a = a + b | 0; b = b << 5 | b >>> 27; b ^= a; a = a << 16 | a >>> 16;
        c = c + d | 0; d = d << 8 | d >>> 24; d ^= c;
        a = a + d | 0; d = d << 13 | d >>> 19; d ^= a;
        c = c + b | 0; b = b << 7 | b >>> 25; b ^= c; c = c << 16 | c >>> 16;
      }
    }
    let out = '';
    for (const w of [a ^ k0, b ^ k1, c ^ k2, d ^ k3]) out += (w >>> 0).toString(16).padStart(8, '0');
    return out;
  };
  const utf8Length = (text) => {
    let n = text.length;
    for (let i = 0; i < text.length; i++) {
      const c = text.charCodeAt(i);
      if (c >= 0x80) n += c < 0x800 || c >= 0xd800 && c < 0xe000 ? 1 : 2;
    }
    return n;
  };
  // head cuts text between code points.
  const head = (text, n) => {
    const c = text.charCodeAt(n - 1);
    return text.slice(0, c >= 0xd800 && c < 0xdc00 ? n - 1 : n);
  };

  // common returns how many characters of a and b are the same in front and behind, cut
  // between code points.
  const common = (a, b) => {
    const equal = (m, back) => back ? a.slice(a.length - m) === b.slice(b.length - m) : a.slice(0, m) === b.slice(0, m);
    const longest = (most, back) => {
      if (equal(most, back)) return most;
      let low = 0, high = most; // equal at low, not at high
      while (high - low > 1) {
        const m = (low + high) >> 1;
        if (equal(m, back)) low = m; else high = m;
      }
      return low;
    };
    const inPair = (s, i) => (s.charCodeAt(i) & 0xfc00) === 0xdc00;
    let front = longest(Math.min(a.length, b.length), false);
    if (front > 0 && (inPair(b, front) || inPair(a, front))) front--;
    let back = longest(Math.min(a.length, b.length) - front, true);
    if (back > 0 && (inPair(b, b.length - back) || inPair(a, a.length - back))) back--;
    return [front, back];
  };

  globalThis.__pagestate_text = { Numbers, digest, utf8Length, head, common };
})()
