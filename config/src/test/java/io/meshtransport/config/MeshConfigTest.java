// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.config;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import java.util.Properties;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests also {@link Domain} and {@link TextDomains}. */
class MeshConfigTest {
  @Test
  void shouldHaveTheDocumentedDefaults() {
    MeshConfig config = MeshConfig.defaults();
    assertEquals(ProviderChoice.AUTO, config.provider());
    assertEquals(NameFilter.ALL, config.hca());
    assertEquals(NameFilter.ALL, config.ifname());
    assertEquals(OptionalInt.empty(), config.gidIndex());
    assertEquals(List.of(), config.loopback());
    assertEquals(4791, config.handshakePort());
    assertEquals(5000, config.timeoutMs());
    assertTrue(config.secret().isEmpty());
    assertEquals(Compat.NONE, config.compat());
    assertEquals(OptionalInt.empty(), config.mtu());
    assertEquals(0, config.trafficClass());
    assertEquals(0, config.serviceLevel());
    assertEquals(16, config.ibTimeout());
    assertEquals(6, config.ibRetryCount());
    assertEquals(2000, config.silenceMs());
    assertEquals(6, config.rnrRetry());
    assertEquals(1, config.qpsPerConnection());
    assertEquals(1, config.rails());
    assertEquals(50, config.spinUs());
    assertEquals(0, config.debug());
    assertEquals(List.of(), config.warnings());
    assertTrue(
        config.values().values().stream().allMatch(value -> value.source() == Source.DEFAULT));
  }

  @Test
  void shouldNotWarnOfVariablesThatHarnessesSet() {
    Map<String, String> environment =
        Map.of("MESH_NODES", "a,b", "MESH_CONTRACT_DEVICE", "rxe0", "MESH_NODE", "a");

    assertEquals(List.of(), MeshConfig.load(environment, new Properties(), Map.of()).warnings());
  }

  @Test
  void shouldLetTheStrongerSourceWin() {
    Map<String, String> environment =
        Map.of("MESH_TIMEOUT_MS", "100", "MESH_DEBUG", "1", "MESH_SPIN_US", "7");
    Properties system = new Properties();
    system.setProperty("mesh.timeout_ms", "200");
    system.setProperty("mesh.debug", "2");
    MeshConfig config = MeshConfig.load(environment, system, Map.of("MESH_TIMEOUT_MS", "300"));

    assertEquals(300, config.timeoutMs());
    assertEquals(Source.EXPLICIT, config.effective(Setting.TIMEOUT_MS).source());
    assertEquals(2, config.debug());
    assertEquals(Source.SYSTEM_PROPERTY, config.effective(Setting.DEBUG).source());
    assertEquals(7, config.spinUs());
    assertEquals(Source.ENVIRONMENT, config.effective(Setting.SPIN_US).source());
  }

  @Test
  void shouldTreatAnEmptyValueAsUnset() {
    Properties system = new Properties();
    system.setProperty("mesh.mtu", "");
    Map<String, String> blankEverywhere = new HashMap<>();
    Setting.all().stream()
        .filter(setting -> setting != Setting.SECRET && setting != Setting.SECRET_FILE)
        .forEach(setting -> blankEverywhere.put(setting.name(), ""));

    assertEquals(
        OptionalInt.of(1024),
        MeshConfig.load(Map.of("MESH_MTU", "1024"), system, Map.of("MESH_MTU", "")).mtu());
    assertEquals(MeshConfig.defaults(), MeshConfig.load(blankEverywhere, system, blankEverywhere));
  }

  @Test
  void shouldIgnoreBlanksAroundAValue() {
    assertEquals(100, MeshConfig.of(Map.of("MESH_TIMEOUT_MS", " 100\n")).timeoutMs());
    assertEquals(5000, MeshConfig.of(Map.of("MESH_TIMEOUT_MS", " ")).timeoutMs());
    assertEquals(MeshConfig.defaults().node(), MeshConfig.of(Map.of("MESH_NODE", " ")).node());
  }

  @ParameterizedTest
  @CsvSource({
    "MESH_GID_INDEX, 0, 255",
    "MESH_HANDSHAKE_PORT, 0, 65535",
    "MESH_TIMEOUT_MS, 10, 600000",
    "MESH_TRAFFIC_CLASS, 0, 255",
    "MESH_SERVICE_LEVEL, 0, 15",
    "MESH_IB_TIMEOUT, 1, 31",
    "MESH_IB_RETRY_COUNT, 0, 6",
    "MESH_SILENCE_MS, 1000, 600000",
    "MESH_RNR_RETRY, 0, 6",
    "MESH_QPS_PER_CONNECTION, 1, 16",
    "MESH_RAILS, 1, 4",
    "MESH_SPIN_US, 0, 1000000",
    "MESH_POOL_MIB, 0, 1048576",
    "MESH_CACHE_MIB, 0, 1048576",
    "MESH_BOUNCE_BYTES, 0, 1048576",
    "MESH_DEBUG, 0, 2"
  })
  void shouldAcceptExactlyTheNumbersWithinBounds(String name, int min, int max) {
    for (int good : new int[] {min, max}) {
      assertEquals(String.valueOf(good), textOf(MeshConfig.of(Map.of(name, "" + good)), name));
    }
    for (long bad : new long[] {min - 1L, max + 1L, Long.MAX_VALUE, Integer.MIN_VALUE}) {
      ConfigException refused = refusal(name, "" + bad);
      assertEquals(name, refused.variable());
      assertTrue(refused.getMessage().contains("'" + bad + "'"), refused.getMessage());
      assertTrue(refused.getMessage().contains(min + ".." + max), refused.getMessage());
    }
  }

  @ParameterizedTest
  @CsvSource({
    "4792,     , MESH_HANDSHAKE_PORT",
    "    , 4791, MESH_DATA_PORT",
    "7600, 7600, MESH_DATA_PORT"
  })
  void shouldRefuseOnePortForHandshakesAndData(String handshake, String data, String changed) {
    Map<String, String> settings = new HashMap<>();
    settings.put("MESH_HANDSHAKE_PORT", handshake == null ? "" : handshake);
    settings.put("MESH_DATA_PORT", data == null ? "" : data);
    ConfigException refused = assertThrows(ConfigException.class, () -> MeshConfig.of(settings));

    assertEquals(changed, refused.variable());
    String text = refused.getMessage();
    assertTrue(text.contains("MESH_HANDSHAKE_PORT") && text.contains("MESH_DATA_PORT"), text);
  }

  @Test
  void shouldLetTheKernelChooseBothPorts() {
    MeshConfig config = MeshConfig.of(Map.of("MESH_HANDSHAKE_PORT", "0", "MESH_DATA_PORT", "0"));
    assertEquals(0, config.handshakePort());
    assertEquals(0, config.dataPort());
  }

  private static String textOf(MeshConfig config, String name) {
    return config.values().values().stream()
        .filter(effective -> effective.setting().name().equals(name))
        .map(EffectiveValue::text)
        .findFirst()
        .orElseThrow();
  }

  @ParameterizedTest
  @ValueSource(strings = {"x", "1.5", "1e3", "0x10", "+5", "1 0", "-", "٣", "99999999999999999999"})
  void shouldRefuseWhatIsNoNumber(String text) {
    assertTrue(refusal("MESH_TIMEOUT_MS", text).getMessage().contains("'" + text + "'"));
  }

  @Test
  void shouldReadTextAndLists() {
    MeshConfig config =
        MeshConfig.of(
            Map.of(
                "MESH_PROVIDER", "Soft",
                "MESH_COMPAT", "nccl-mesh",
                "MESH_MTU", "AUTO",
                "MESH_GID_INDEX", "auto",
                "MESH_LOOPBACK", "127.77.1.1/24, 127.0.0.1/8"));
    assertEquals(ProviderChoice.SOFT, config.provider());
    assertEquals(Compat.NCCL_MESH, config.compat());
    assertEquals(OptionalInt.empty(), config.mtu());
    assertEquals(OptionalInt.empty(), config.gidIndex());
    assertEquals(List.of("127.77.1.1/24", "127.0.0.1/8"), config.loopback());
  }

  @ParameterizedTest
  @CsvSource({
    "MESH_PROVIDER, verbs, 'auto, ibverbs, soft'",
    "MESH_COMPAT, nccl, 'none, nccl-mesh'",
    "MESH_MTU, 1500, '256, 512, 1024, 2048, 4096'",
    "MESH_IB_TIMEOUT, 0, wait for ever",
    "MESH_RNR_RETRY, 7, endless",
    "MESH_IB_RETRY_COUNT, 7, endless",
    "MESH_IFNAME, eth0:1, no port",
    "MESH_HCA, mlx5_0:0, from 1 to 255",
    "MESH_HCA, 'mlx5_0,', no name",
    "MESH_LOOPBACK, 128.0.0.1/24, not 127.x.y.z",
    "MESH_LOOPBACK, 127.0.0.1, not 127.x.y.z",
    "MESH_LOOPBACK, 127.0.0.1/7, not 127.x.y.z",
    "MESH_LOOPBACK, 127.0.0.1/33, not 127.x.y.z",
    "MESH_LOOPBACK, 127.0.0.256/24, not 127.x.y.z",
    "MESH_LOOPBACK, 127.0.0.01/24, not 127.x.y.z",
    "MESH_LOOPBACK, 127.9.9.128/25, such as 127.9.9.129/25",
    "MESH_LOOPBACK, '127.0.0.1/24,127.0.0.1/24', twice",
    "MESH_NODE, abcdefghijklmnopqrstuvwxyz0123456, 33 bytes",
  })
  void shouldSayWhyAValueIsRefused(String name, String text, String reason) {
    String message = refusal(name, text).getMessage();
    assertTrue(message.startsWith(name + " (given by the program): '" + text + "'"), message);
    assertTrue(message.contains(reason), message);
  }

  @Test
  void shouldDistinguishEachSettingFromTheOthers() {
    MeshConfig config =
        MeshConfig.of(
            Map.of(
                "MESH_DATA_PORT", "4793",
                "MESH_TRAFFIC_CLASS", "106",
                "MESH_SERVICE_LEVEL", "3",
                "MESH_POOL_MIB", "11",
                "MESH_CACHE_MIB", "12",
                "MESH_BOUNCE_BYTES", "4096"));
    assertEquals(4793, config.dataPort());
    assertEquals(106, config.trafficClass());
    assertEquals(3, config.serviceLevel());
    assertEquals(11, config.poolMib());
    assertEquals(12, config.cacheMib());
    assertEquals(4096, config.bounceBytes());
  }

  @Test
  void shouldAcceptTextsUpToTheirBounds() {
    String longest = "abcdefghijklmnopqrstuvwxyz012345";
    StringBuilder addresses = new StringBuilder("127.255.255.255/24");
    for (int i = 1; i < 16; i++) {
      addresses.append(",127.1.").append(i).append(".1/24");
    }
    MeshConfig config =
        MeshConfig.of(Map.of("MESH_NODE", longest, "MESH_LOOPBACK", addresses.toString()));
    assertEquals(16, config.loopback().size());
    assertEquals("127.255.255.255/24", config.loopback().get(0));
    assertTrue(config.describe().contains(longest), config.describe());
  }

  @Test
  void shouldReadTheEnvironmentOfThisProcess() {
    assertEquals(Setting.all().size(), MeshConfig.load(Map.of()).values().size());
  }

  @Test
  void shouldRefuseMoreLoopbackAddressesThanAHandleCarries() {
    StringBuilder addresses = new StringBuilder("127.1.0.1/24");
    for (int i = 1; i <= 16; i++) {
      addresses.append(",127.1.").append(i).append(".1/24");
    }
    assertTrue(
        refusal("MESH_LOOPBACK", addresses.toString()).getMessage().contains("17 addresses"));
  }

  @Test
  void shouldNameTheSourceAsItSpellsTheSetting() {
    Properties system = new Properties();
    system.setProperty("mesh.ib_timeout", "32");
    ConfigException refused =
        assertThrows(ConfigException.class, () -> MeshConfig.load(Map.of(), system, Map.of()));
    assertEquals("MESH_IB_TIMEOUT", refused.variable());
    assertEquals(Source.SYSTEM_PROPERTY, refused.source());
    assertTrue(
        refused.getMessage().startsWith("mesh.ib_timeout (system property): '32'"),
        refused.getMessage());

    assertTrue(
        assertThrows(
                ConfigException.class,
                () -> MeshConfig.load(Map.of("MESH_MTU", "1"), new Properties(), Map.of()))
            .getMessage()
            .startsWith("MESH_MTU (environment): '1'"));
  }

  @Test
  void shouldWarnOfASettingInTheSpellingOfAnotherSource() {
    Properties system = new Properties();
    system.setProperty("MESH_TIMEOUT_MS", "3");
    system.setProperty("Mesh.node", "a");
    system.setProperty("timeout_ms", "4");
    system.setProperty("mesher.home", "/");
    Map<String, String> environment =
        Map.of("mesh_timeout_ms", "5", "mesh.rails", "2", "mesh_home", "/");
    MeshConfig config = MeshConfig.load(environment, system, Map.of());

    assertEquals(5000, config.timeoutMs());
    assertEquals(
        List.of(
            "mesh.rails (environment) is not a setting, so it has no effect; did you mean MESH_RAILS?",
            "mesh_timeout_ms (environment) is not a setting, so it has no effect; did you mean MESH_TIMEOUT_MS?",
            "MESH_TIMEOUT_MS (system property) is not a setting, so it has no effect; did you mean mesh.timeout_ms?",
            "Mesh.node (system property) is not a setting, so it has no effect; did you mean mesh.node?"),
        config.warnings());
  }

  /** Without it every host would get in. */
  @Test
  void shouldRefuseASecretInTheSpellingOfAnotherSource() {
    Properties system = new Properties();
    system.setProperty("MESH_SECRET", "0123456789abcdef");

    ConfigException refusal =
        assertThrows(ConfigException.class, () -> MeshConfig.load(Map.of(), system, Map.of()));
    assertTrue(refusal.getMessage().contains("did you mean mesh.secret?"), refusal.getMessage());
    assertFalse(refusal.getMessage().contains("0123"), refusal.getMessage());
  }

  @Test
  void shouldRefuseASubnetForALoopbackAddress() {
    ConfigException refusal =
        assertThrows(
            ConfigException.class, () -> MeshConfig.of(Map.of("MESH_LOOPBACK", "127.9.9.0/24")));
    assertTrue(refusal.getMessage().contains("such as 127.9.9.1/24"), refusal.getMessage());
    assertThrows(
        ConfigException.class, () -> MeshConfig.of(Map.of("MESH_LOOPBACK", "127.0.0.0/8")));
    assertEquals(
        List.of("127.9.0.0/31", "127.9.1.0/8", "127.9.0.0/32"),
        MeshConfig.of(Map.of("MESH_LOOPBACK", "127.9.0.0/31,127.9.1.0/8,127.9.0.0/32")).loopback());
  }

  @Test
  void shouldWarnOfUnknownNamesWithTheNearestKnownOne() {
    Properties system = new Properties();
    system.setProperty("mesh.gidindex", "3");
    system.setProperty("java.home", "/nowhere");
    system.setProperty("mesh.test.seed", "42");
    Map<String, String> environment = new LinkedHashMap<>();
    environment.put("MESH_TIMEOUT", "100");
    environment.put("MESHED", "1");
    environment.put("PATH", "/bin");
    MeshConfig config =
        MeshConfig.load(environment, system, Map.of("timeout_ms", "5", "MESH_QWERTYUIOP", "1"));
    assertEquals(
        List.of(
            "MESH_TIMEOUT (environment) is not a setting, so it has no effect; did you mean"
                + " MESH_TIMEOUT_MS?",
            "mesh.gidindex (system property) is not a setting, so it has no effect; did you mean"
                + " mesh.gid_index?",
            "MESH_QWERTYUIOP (given by the program) is not a setting, so it has no effect",
            "timeout_ms (given by the program) is not a setting, so it has no effect; did you mean"
                + " MESH_TIMEOUT_MS?"),
        config.warnings());
  }

  @Test
  void shouldSayOfASettingThatIsGoneWhatReplacesIt() {
    Properties system = new Properties();
    system.setProperty("mesh.retry_count", "5");
    MeshConfig config =
        MeshConfig.load(Map.of("MESH_PORT", "2"), system, Map.of("MESH_CACHE_ENTRIES", "7"));
    assertEquals(
        List.of(
            "MESH_PORT (environment) is no longer a setting, so it has no effect: MESH_HCA selects"
                + " a port, for example MESH_HCA=mlx5_0:1. Unset it.",
            "mesh.retry_count (system property) is no longer a setting, so it has no effect: the"
                + " number of retries is fixed. Unset it.",
            "MESH_CACHE_ENTRIES (given by the program) is no longer a setting, so it has no effect:"
                + " MESH_CACHE_MIB limits the cache. Unset it."),
        config.warnings());
    assertEquals(MeshConfig.defaults().values(), config.values());
  }

  @Test
  void shouldNotShowTheValueOfAnUnknownName() {
    MeshConfig config = MeshConfig.of(Map.of("MESH_PASSWORD", "hunter2hunter2hunter2"));
    assertEquals(1, config.warnings().size());
    assertFalse((config + config.describe() + config.warnings()).contains("hunter2"));
  }

  @ParameterizedTest
  @ValueSource(strings = {"MESH_SECRT", "MESH_SECRETFILE"})
  void shouldRefuseAMisspeltSecret(String name) {
    ConfigException refused =
        assertThrows(
            ConfigException.class, () -> MeshConfig.of(Map.of(name, "hunter2hunter2hunter2")));
    assertFalse(refused.getMessage().contains("hunter2"));
    assertTrue(refused.getMessage().contains("did you mean MESH_SECRET"), refused.getMessage());
  }

  @ParameterizedTest
  @ValueSource(strings = {"MESH_SECRET", "MESH_SECRET_FILE"})
  void shouldRefuseAnEmptySecret(String name) {
    ConfigException refused =
        assertThrows(ConfigException.class, () -> MeshConfig.of(Map.of(name, "")));
    assertTrue(refused.getMessage().contains("it is empty"), refused.getMessage());
  }

  @Test
  void shouldOnlyWarnOfANameLikeASecretsWhereThereIsOne() {
    MeshConfig config =
        MeshConfig.of(Map.of("MESH_SECURE", "1", "MESH_SECRET", "sixteen bytes and some"));
    assertEquals(1, config.warnings().size(), config.warnings().toString());
  }

  @Test
  void shouldRefuseAMapThatLacksASetting() {
    Map<Setting<?>, EffectiveValue<?>> values = new HashMap<>(MeshConfig.defaults().values());
    values.remove(Setting.MTU);
    IllegalArgumentException lacking =
        assertThrows(IllegalArgumentException.class, () -> new MeshConfig(values, List.of()));
    assertTrue(lacking.getMessage().contains("MESH_MTU"));

    values.put(Setting.MTU, MeshConfig.defaults().effective(Setting.DEBUG));
    assertThrows(IllegalArgumentException.class, () -> new MeshConfig(values, List.of()));
  }

  @Test
  void shouldNotChangeWithTheMapsItWasReadFrom() {
    Map<String, String> explicit = new HashMap<>(Map.of("MESH_DEBUG", "1"));
    MeshConfig config = MeshConfig.of(explicit);
    explicit.put("MESH_DEBUG", "2");
    assertEquals(1, config.debug());
    assertThrows(UnsupportedOperationException.class, () -> config.values().clear());
    assertThrows(UnsupportedOperationException.class, () -> config.warnings().add("x"));
  }

  private static ConfigException refusal(String name, String text) {
    return assertThrows(ConfigException.class, () -> MeshConfig.of(Map.of(name, text)));
  }
}
