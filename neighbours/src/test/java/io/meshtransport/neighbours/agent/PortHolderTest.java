// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.neighbours.agent;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.IOException;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class PortHolderTest {
  private static final String HEADER =
      "  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode\n";

  @TempDir private Path proc;

  private static String line(String local, String state, int user, int inode) {
    return "  1: %s 00000000:0000 %s 00000000:00000000 00:00000000 00000000 %d 0 %d 2 0000000000000000 0%n"
        .formatted(local, state, user, inode);
  }

  private void table(String name, String... lines) throws IOException {
    Files.createDirectories(proc.resolve("self/net"));
    Files.writeString(proc.resolve("self/net").resolve(name), HEADER + String.join("", lines));
  }

  private void process(int id, String name, int inode) throws IOException {
    Path files = Files.createDirectories(proc.resolve(id + "/fd"));
    Files.writeString(proc.resolve(id + "/comm"), name + "\n");
    Files.createSymbolicLink(files.resolve("0"), Path.of("pipe:[1]"));
    Files.createSymbolicLink(files.resolve("7"), Path.of("socket:[" + inode + "]"));
  }

  private String udp(int port) {
    return PortHolder.of(proc, PortHolder.Protocol.UDP, port);
  }

  @Test
  void shouldNameTheProcessOfASocketOfEitherFamily() throws IOException {
    table("udp", line("00000000:12B9", "07", 0, 41), line("00000000:0044", "07", 0, 42));
    table("udp6", line("00000000000000000000000000000000:12BA", "07", 0, 43));
    process(10, "java", 41);
    process(11, "dhcp", 42);
    process(12, "java", 43);
    assertEquals(" It is in use by process 10 (java).", udp(4793));
    assertEquals(" It is in use by process 12 (java).", udp(4794));
    assertEquals("", udp(4795));
  }

  @Test
  void shouldSayWhoseProcessItIsThatIsNotVisible() throws IOException {
    table("udp", line("00000000:12B9", "07", 1001, 41));
    assertEquals(
        " A process of user id 1001 has it, which is not visible here: another user's, or in another container. `ss -lunpt` as root on the host names it.",
        udp(4793));
  }

  @Test
  void shouldQuoteWhatWouldBreakALineInTheNameOfAProcess() throws IOException {
    table("udp", line("00000000:12B9", "07", 0, 41));
    process(10, " a\nb\u001b[2J\u202e", 41);
    assertEquals(
        " It is in use by process 10 ( a\\u000ab\\u001b[2J\\u202e).", udp(4793), "right to left");
  }

  @Test
  void shouldLeaveOutLinesWithFewerFields() throws IOException {
    String whole = line("00000000:12B9", "07", 0, 41);
    table(
        "udp",
        whole.substring(0, whole.indexOf(" 0 41")) + "\n",
        "\n",
        "1: :12B9\n",
        line("00000000:12BA", "07", 0, 42));
    process(10, "java", 42);
    assertEquals("", udp(4793));
    assertEquals(" It is in use by process 10 (java).", udp(4794));
  }

  /** As for port 80, which only root may bind. */
  @Test
  void shouldNotBlameAProcessForAPortThatNoneHas() {
    assertEquals(
        "UDP port 80 cannot be used (Permission denied). Set MESH_NEIGHBOUR_PORT to a port that this user may bind, the same on all nodes.",
        PortHolder.refusal(
            PortHolder.Protocol.UDP, 80, "Permission denied", udp(80), "End the program."));
    assertEquals(
        "TCP port 80 cannot be used (Address already in use). It is in use by this process itself. End the program.",
        PortHolder.refusal(
            PortHolder.Protocol.TCP,
            80,
            "Address already in use",
            " It is in use by this process itself.",
            "End the program."));
  }

  @Test
  void shouldNotTakeAConnectionForAListener() throws IOException {
    table("tcp", line("0100007F:12B9", "01", 0, 41), line("0100007F:12BA", "0A", 0, 42));
    process(10, "java", 41);
    process(11, "nc", 42);
    assertEquals("", PortHolder.of(proc, PortHolder.Protocol.TCP, 4793));
    assertEquals(
        " It is in use by process 11 (nc).", PortHolder.of(proc, PortHolder.Protocol.TCP, 4794));
  }

  @Test
  void shouldSayNothingWithoutTheKernelsFiles() {
    assertEquals("", udp(4793));
  }

  @Test
  void shouldFindPortsOfThisProcess() throws IOException {
    try (DatagramSocket udp = new DatagramSocket(0, InetAddress.getLoopbackAddress());
        ServerSocket tcp = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      assertEquals(
          " It is in use by this process itself.",
          PortHolder.of(PortHolder.Protocol.UDP, udp.getLocalPort()));
      assertEquals(
          " It is in use by this process itself.",
          PortHolder.of(PortHolder.Protocol.TCP, tcp.getLocalPort()));
    }
  }
}
