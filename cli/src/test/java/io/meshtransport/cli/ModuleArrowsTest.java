// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.cli;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;
import static org.junit.jupiter.api.Assertions.assertEquals;

import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.domain.Dependency;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.core.importer.Location;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTag;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.lang.ArchCondition;
import com.tngtech.archunit.lang.ArchRule;
import com.tngtech.archunit.lang.ConditionEvents;
import com.tngtech.archunit.lang.SimpleConditionEvent;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Which module may use which, and which package: arrows point up the list of modules in the parent
 * pom, packages have no cycles, and JNA has one user. In the last module, since that one sees all
 * others; mesh-ffm and mesh-jlama, which are for newer Javas, are seen by no other module, and the
 * latter has a test of its own arrows.
 */
@AnalyzeClasses(
    packages = "io.meshtransport",
    importOptions = {
      ImportOption.DoNotIncludeTests.class,
      ModuleArrowsTest.DoNotIncludeTestJars.class
    })
@ArchTag("slow")
class ModuleArrowsTest {
  private static final Set<String> LIBRARY =
      Set.of(
          "plugin-spi",
          "config",
          "nic-discovery",
          "native-glue",
          "soft-verbs",
          "handshake",
          "neighbours",
          "mesh-transport");

  /** By module: the modules it may use. One that is not here may not be. */
  private static final Map<String, Set<String>> MAY_USE =
      Map.ofEntries(
          Map.entry("plugin-spi", Set.of()),
          Map.entry("config", Set.of()),
          Map.entry("nic-discovery", Set.of("config")),
          // Attributes of a queue pair are made of the values that discovery found.
          Map.entry("native-glue", Set.of("config", "nic-discovery")),
          Map.entry("soft-verbs", Set.of("config", "nic-discovery", "native-glue")),
          Map.entry(
              "soft-verbs-sim", Set.of("config", "nic-discovery", "native-glue", "soft-verbs")),
          Map.entry("handshake", Set.of("config", "nic-discovery")),
          Map.entry("neighbours", Set.of("plugin-spi", "config", "nic-discovery", "handshake")),
          Map.entry(
              "mesh-transport",
              Set.of(
                  "plugin-spi",
                  "config",
                  "nic-discovery",
                  "native-glue",
                  "soft-verbs",
                  "handshake")),
          Map.entry("session", Set.of("plugin-spi")),
          Map.entry("relay", Set.of("plugin-spi", "config")),
          Map.entry("collectives", Set.of("plugin-spi", "config")),
          Map.entry("micrometer", Set.of("plugin-spi")),
          Map.entry("examples", and(LIBRARY, "session", "collectives")),
          Map.entry("test-topologies", LIBRARY),
          Map.entry(
              "benchmarks", and(LIBRARY, "test-topologies", "session", "relay", "collectives")),
          Map.entry("jgroups", Set.of("plugin-spi", "config", "session", "relay")),
          Map.entry(
              "jgroups-demo",
              and(LIBRARY, "test-topologies", "benchmarks", "session", "relay", "jgroups")),
          Map.entry(
              "cli",
              and(
                  LIBRARY,
                  "test-topologies",
                  "benchmarks",
                  "session",
                  "relay",
                  "collectives",
                  "jgroups",
                  "jgroups-demo")));

  private static final Pattern BUILT_HERE = Pattern.compile(".*/([^/]+)/target/.*");
  private static final Pattern INSTALLED =
      Pattern.compile(".*/mesh-([a-z-]+)-[0-9][^/]*\\.jar!/.*");

  @ArchTest
  static final ArchRule ARROWS_POINT_UP =
      classes()
          .should(
              new ArchCondition<JavaClass>("use only modules that stand above theirs") {
                @Override
                public void check(JavaClass user, ConditionEvents events) {
                  Set<String> allowed = MAY_USE.getOrDefault(module(user), Set.of());
                  for (Dependency use : user.getDirectDependenciesFromSelf()) {
                    JavaClass used = use.getTargetClass().getBaseComponentType();
                    boolean isAllowed =
                        !used.getPackageName().startsWith("io.meshtransport")
                            || module(used).equals(module(user))
                            || allowed.contains(module(used));
                    events.add(new SimpleConditionEvent(use, isAllowed, use.getDescription()));
                  }
                }
              });

  /** Ends with the packages: a cycle of classes within one is the package's own business. */
  @ArchTest
  static final ArchRule PACKAGES_HAVE_NO_CYCLES =
      slices().matching("io.meshtransport.(**)").should().beFreeOfCycles();

  @ArchTest
  static final ArchRule SOFT_VERBS_ARROWS_POINT_DOWN =
      noClasses()
          .that()
          .resideInAnyPackage(
              "io.meshtransport.softverbs.rc..", "io.meshtransport.softverbs.frame..")
          .should()
          .dependOnClassesThat()
          .resideInAnyPackage(
              "io.meshtransport.softverbs.tcp..",
              "io.meshtransport.softverbs.host..",
              "io.meshtransport.softverbs.sim..")
          .because("the rules of queue pairs know no socket");

  /** From top to bottom, as the package page of the transport lists them. */
  private static final List<String> TRANSPORT =
      List.of(
          "",
          ".jmx",
          ".overlay",
          ".ncclmesh",
          ".connect",
          ".message",
          ".rail",
          ".poll",
          ".channel",
          ".endpoint",
          ".memory",
          ".device",
          ".stats",
          ".jfr",
          ".route");

  @ArchTest
  static final ArchRule TRANSPORT_ARROWS_POINT_DOWN =
      classes()
          .that()
          .resideInAPackage("io.meshtransport.transport..")
          .should(
              new ArchCondition<JavaClass>("use only packages below theirs") {
                @Override
                public void check(JavaClass user, ConditionEvents events) {
                  for (Dependency use : user.getDirectDependenciesFromSelf()) {
                    JavaClass used = use.getTargetClass().getBaseComponentType();
                    boolean isAllowed =
                        !used.getPackageName().startsWith("io.meshtransport.transport")
                            || rank(user) <= rank(used);
                    events.add(new SimpleConditionEvent(use, isAllowed, use.getDescription()));
                  }
                }
              });

  private static int rank(JavaClass each) {
    String name = each.getPackageName().substring("io.meshtransport.transport".length());
    int rank = TRANSPORT.indexOf(name);
    if (rank < 0) {
      throw new IllegalStateException(each.getName() + " is in a package without a place");
    }
    return rank;
  }

  @ArchTest
  static void everyModuleIsKnownAndHasItsPackagesForItself(JavaClasses all) {
    Map<String, Set<String>> modulesOf = new TreeMap<>();
    Set<String> modules = new TreeSet<>();
    for (JavaClass each : all) {
      modules.add(module(each));
      modulesOf.computeIfAbsent(each.getPackageName(), name -> new TreeSet<>()).add(module(each));
    }
    assertEquals(new TreeSet<>(MAY_USE.keySet()), modules);
    modulesOf.values().removeIf(of -> of.size() == 1);
    assertEquals(Map.of(), modulesOf, "packages that are in more than one module");
  }

  @ArchTest
  static final ArchRule ONLY_NATIVE_GLUE_TOUCHES_JNA =
      noClasses()
          .that()
          .resideOutsideOfPackage("io.meshtransport.verbs..")
          .should()
          .dependOnClassesThat()
          .resideInAnyPackage("com.sun.jna..", "java.lang.foreign..")
          .because("the verbs interfaces are the whole border to native code");

  @ArchTest
  static final ArchRule NOTHING_NAMES_WHAT_DRIVES_LIBIBVERBS =
      noClasses()
          .that()
          .resideOutsideOfPackages("io.meshtransport.verbs.ibverbs..", "io.meshtransport.bench..")
          .should()
          .dependOnClassesThat()
          .resideInAPackage("io.meshtransport.verbs.ibverbs..")
          .because("VerbsProviders finds it as it finds any other provider");

  @ArchTest
  static final ArchRule LIBRARIES_LOG_THROUGH_THE_API =
      noClasses()
          .that(resideIn(LIBRARY, "examples", "jgroups", "test-topologies"))
          .should()
          .dependOnClassesThat()
          .resideInAPackage("org.apache.logging.log4j.core..")
          .because("which back end logs is the application's choice");

  @ArchTest
  static final ArchRule ONLY_HANDSHAKE_SPEAKS_NETTY =
      noClasses()
          .that(resideIn(LIBRARY, "examples", "jgroups", "test-topologies"))
          .and()
          .resideOutsideOfPackage("io.meshtransport.handshake..")
          .should()
          .dependOnClassesThat()
          .resideInAPackage("io.netty..");

  @ArchTest
  static final ArchRule ONLY_CONFIG_READS_THE_ENVIRONMENT =
      noClasses()
          .that(resideIn(LIBRARY, "examples"))
          .and()
          .resideOutsideOfPackage("io.meshtransport.config..")
          .should()
          .callMethod(System.class, "getenv", String.class)
          .orShould()
          .callMethod(System.class, "getenv")
          .because("settings are read once, into one checked record");

  private static DescribedPredicate<JavaClass> resideIn(Set<String> modules, String... others) {
    Set<String> all = and(modules, others);
    return DescribedPredicate.describe(
        "are in " + new TreeSet<>(all), each -> all.contains(module(each)));
  }

  private static Set<String> and(Set<String> modules, String... others) {
    Set<String> all = new TreeSet<>(modules);
    all.addAll(Set.of(others));
    return all;
  }

  /** The folder of the module that a class was built in, or the name of its jar. */
  private static String module(JavaClass each) {
    String from = each.getSource().map(source -> source.getUri().toString()).orElse("");
    for (Pattern pattern : new Pattern[] {BUILT_HERE, INSTALLED}) {
      Matcher matcher = pattern.matcher(from);
      if (matcher.matches()) {
        return matcher.group(1);
      }
    }
    throw new IllegalStateException(each.getName() + " comes from an unknown place: " + from);
  }

  /** Tests of other modules, which choose their device by the environment. */
  static final class DoNotIncludeTestJars implements ImportOption {
    @Override
    public boolean includes(Location location) {
      return !location.contains("-tests.jar");
    }
  }
}
