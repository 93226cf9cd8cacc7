// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.nic;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class AddressTextTest {
  @ParameterizedTest
  @CsvSource({
    "10.0.1.1, 10.0.1.1",
    "0:0:0:0:0:0:0:0, ::",
    "0:0:0:0:0:0:0:1, ::1",
    "1:0:0:0:0:0:0:0, 1::",
    "FD00:0001::00AB, fd00:1::ab",
    // RFC 5952, 4.2.2: one zero group alone is not shortened.
    "2001:db8:0:1:1:1:1:1, 2001:db8:0:1:1:1:1:1",
    // 4.2.3: the longest run, and of equal ones the first.
    "2001:0:0:1:0:0:0:1, 2001:0:0:1::1",
    "2001:db8:0:0:1:0:0:1, 2001:db8::1:0:0:1",
    "1:2:3:4:5:6:0:0, 1:2:3:4:5:6::",
    "0:0:3:4:5:6:7:8, ::3:4:5:6:7:8",
  })
  void shouldWriteAddressesAsRfc5952Says(String address, String text) {
    assertEquals(text, AddressText.of(AddressText.parse(address)));
  }
}
