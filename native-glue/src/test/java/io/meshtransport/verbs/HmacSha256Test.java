// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.verbs;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.Random;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;
import org.junit.jupiter.api.Test;

class HmacSha256Test {
  private static byte[] filled(int lengthBytes, int value) {
    byte[] bytes = new byte[lengthBytes];
    Arrays.fill(bytes, (byte) value);
    return bytes;
  }

  private static byte[] ascii(String text) {
    return text.getBytes(StandardCharsets.US_ASCII);
  }

  private static void assertCode(String expected, byte[] key, byte[] data) {
    assertEquals(expected, HexFormat.of().formatHex(new HmacSha256(key).of(data)));
  }

  @Test
  void shouldGiveTheCodesOfRfc4231() {
    assertCode(
        "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7",
        filled(20, 0x0b),
        ascii("Hi There"));
    assertCode(
        "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843",
        ascii("Jefe"),
        ascii("what do ya want for nothing?"));
    assertCode(
        "773ea91e36800e46854db8ebd09181a72959098b3ef8c122d9635514ced565fe",
        filled(20, 0xaa),
        filled(50, 0xdd));
    assertCode(
        "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54",
        filled(131, 0xaa),
        ascii("Test Using Larger Than Block-Size Key - Hash Key First"));
  }

  @Test
  void shouldAgreeWithThePlatformForKeysAndDataOfAnyLength() throws GeneralSecurityException {
    Random random = new Random(7);
    for (int keyBytes : new int[] {1, 31, 32, 63, 64, 65, 200}) {
      byte[] key = new byte[keyBytes];
      random.nextBytes(key);
      Mac platform = Mac.getInstance("HmacSHA256");
      platform.init(new SecretKeySpec(key, "HmacSHA256"));
      for (int dataBytes : new int[] {0, 1, 55, 56, 64, 300}) {
        byte[] data = new byte[dataBytes];
        random.nextBytes(data);
        byte[] front = Arrays.copyOf(data, dataBytes / 2);
        byte[] back = Arrays.copyOfRange(data, dataBytes / 2, dataBytes);
        assertArrayEquals(platform.doFinal(data), new HmacSha256(key).of(front, back));
      }
    }
  }

  @Test
  void shouldKeepItsKeyWhateverBecomesOfTheArray() {
    byte[] key = ascii("Jefe");
    HmacSha256 code = new HmacSha256(key);
    byte[] before = code.of(ascii("data"));
    Arrays.fill(key, (byte) 0);
    assertArrayEquals(before, code.of(ascii("data")));
  }

  @Test
  void shouldRefuseAnEmptyKey() {
    assertThrows(IllegalArgumentException.class, () -> new HmacSha256(new byte[0]));
  }
}
