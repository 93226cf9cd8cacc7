// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.verbs.ibverbs;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.meshtransport.verbs.PortLink;
import io.meshtransport.verbs.PortLink.LinkLayer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The numbers of ports in words and in 10^6 bits per second. */
class LinkCodesTest {
  /** As `ibv_devinfo -v` and sysfs' rate show them. */
  @ParameterizedTest
  @CsvSource({
    "1, 1, 2500",
    "2, 2, 20000",
    "2, 8, 40000",
    "2, 16, 56000",
    "2, 32, 100000",
    "2, 64, 200000",
    "2, 128, 400000",
    "4, 64, 400000",
    "8, 32, 300000",
    "16, 32, 50000",
    "3, 32, 0",
    "2, 3, 0"
  })
  void shouldMultiplyLanesAndTheirSpeed(int width, int speed, long mbps) {
    PortLink link =
        new PortLink(
            LinkLayer.ETHERNET, true, LinkCodes.lanes(width), LinkCodes.laneSpeedMbps(speed), 1);
    assertEquals(mbps, link.speedMbps());
  }

  @Test
  void shouldNameTheLayers() {
    assertEquals(LinkLayer.UNKNOWN, LinkCodes.layer(0));
    assertEquals(LinkLayer.INFINIBAND, LinkCodes.layer(1));
    assertEquals(LinkLayer.ETHERNET, LinkCodes.layer(2));
  }
}
