// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.bench;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.meshtransport.topology.FabricException;
import org.junit.jupiter.api.Test;

/** What peers print, as recorded from iperf3 3.12, ucx_perftest 1.13.1 and perftest 4.5. */
class PeerOutputTest {
  private static final double EXACT = 1e-9;

  private static final String IPERF =
      """
      {
        "start": {"version": "iperf 3.12"},
        "end": {
          "sum_sent": {"seconds": 1.00024, "bytes": 2395996160, "bits_per_second": 19163370071.1},
          "sum_received": {"seconds": 1.000273, "bytes": 2395996160,
            "bits_per_second": 19162737852.56625, "sender": true}
        }
      }
      """;

  private static final String UCX_LATENCY =
      """
      iterations,50.0_percentile_lat,avg_lat,overall_lat,avg_bw,overall_bw,avg_mr,overall_mr
      20000,4.926,5.332,5.332,1.43,1.43,187539,187539
      """;

  private static final String PERFTEST_LATENCY =
      """
       local address: LID 0000 QPN 0x0012 PSN 0x9c66ca
       #bytes #iterations    t_min[usec]    t_max[usec]  t_typical[usec]    t_avg[usec]    t_stdev[usec]   99% percentile[usec]   99.9% percentile[usec]\s
       8       200          1893.97        15890.30      6073.85  	       6450.07     	2618.86		15572.51 		15890.30
      ---------------------------------------------------------------------------------------
      """;

  private static final String PERFTEST_BANDWIDTH =
      """
       TX depth        : 100
       CQ Moderation   : 1
       #bytes     #iterations    BW peak[MB/sec]    BW average[MB/sec]   MsgRate[Mpps]
       65536      100              14.43              13.63  		   0.000218
      ---------------------------------------------------------------------------------------
      """;

  private static final String SOCKETS =
      """
        sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode
         0: 0100007F:1451 00000000:0000 01 00000000:00000000 00:00000000 00000000     0        0 1 1
         1: 00000000:3419 00000000:0000 0A 00000000:00000000 00:00000000 00000000     0        0 2 1
        sl  local_address                         remote_address                        st
         0: 00000000000000000000000000000000:1451 00000000000000000000000000000000:0000 0A 0:0 00:0
      """;

  @Test
  void shouldReadWhatTheReceiverOfIperfHasCounted() {
    assertEquals(2395.34223157078, Iperf.megabytesPerSecond(IPERF), EXACT);
  }

  @Test
  void shouldShowWhatIperfSaidInsteadOfAFigure() {
    FabricException noJson =
        assertThrows(FabricException.class, () -> Iperf.megabytesPerSecond("unable to connect"));
    FabricException failed =
        assertThrows(
            FabricException.class,
            () -> Iperf.megabytesPerSecond("{\"end\": {}, \"error\": \"the server is busy\"}"));

    assertTrue(noJson.getMessage().contains("unable to connect"), noJson.getMessage());
    assertTrue(failed.getMessage().contains("the server is busy"), failed.getMessage());
  }

  @Test
  void shouldReadTheNumbersOfUcxByTheirHeadings() {
    UcxPerf.Result result =
        UcxPerf.Result.parse("[1795.1] sock.c:1 UCX WARN something\n" + UCX_LATENCY);

    assertEquals(4.926, result.medianMicros(), EXACT);
    assertEquals(187539, result.messagesPerSecond(), EXACT);
  }

  @Test
  void shouldShowWhatUcxSaidInsteadOfNumbers() {
    FabricException failed =
        assertThrows(
            FabricException.class, () -> UcxPerf.Result.parse("connect(): Connection refused"));

    assertTrue(failed.getMessage().contains("Connection refused"), failed.getMessage());
    assertThrows(FabricException.class, () -> UcxPerf.Result.parse("iterations,overall_mr\n1"));
  }

  @Test
  void shouldReadTheColumnsOfPerftest() {
    assertEquals(6073.85, Perftest.number(PERFTEST_LATENCY, "t_typical[usec]"), EXACT);
    assertEquals(15572.51, Perftest.number(PERFTEST_LATENCY, "99% percentile[usec]"), EXACT);
    assertEquals(13.63, Perftest.number(PERFTEST_BANDWIDTH, "BW average[MB/sec]"), EXACT);
  }

  @Test
  void shouldShowWhatPerftestSaidInsteadOfAColumn() {
    FabricException failed =
        assertThrows(
            FabricException.class,
            () -> Perftest.number("IB device rxe_to-b not found", "t_typical[usec]"));

    assertTrue(failed.getMessage().contains("not found"), failed.getMessage());
  }

  @Test
  void shouldSeeThatAServerListens() {
    assertTrue(ClientAndServer.isListening(SOCKETS, 13337), "IPv4");
    assertTrue(ClientAndServer.isListening(SOCKETS, 5201), "IPv6, where IPv4 is connected only");
    assertFalse(ClientAndServer.isListening(SOCKETS, 0x3418));
  }
}
