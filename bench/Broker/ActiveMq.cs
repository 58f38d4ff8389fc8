using DroneDelivery.Bench.Broker.Stomp;

namespace DroneDelivery.Bench.Broker;

/// <summary>ActiveMQ as Debian packages it, without AMQP: it is measured over STOMP. Port, settings and folder are its own.</summary>
internal static class ActiveMq
{
    public const string Program = "/usr/share/activemq/bin/activemq.jar";

    // Without settings its log would prepare every line of detail and drop it.
    private const string LogSettings = """
        log4j.rootLogger=WARN, console
        log4j.appender.console=org.apache.log4j.ConsoleAppender
        log4j.appender.console.layout=org.apache.log4j.SimpleLayout
        """;

    /// <param name="isDurable">Messages are on the disk before ActiveMQ confirms them.</param>
    public static async Task<BrokerUnderTest> Start(bool isDurable)
    {
        var port = ChildProcess.FreePort();
        var home = Directory.CreateTempSubdirectory("bench-activemq-").FullName;
        var logSettings = Path.Combine(home, "log4j.properties");
        await File.WriteAllTextAsync(logSettings, LogSettings);
        var persistent = isDurable ? "true" : "false";
        var settings =
            $"broker:(stomp://127.0.0.1:{port})?useJmx=false&persistent={persistent}&dataDirectory={home}/data";
        var process = ChildProcess.Start(
            "java",
            [
                "-Xms512m",
                "-Xmx512m",
                "-XX:-UsePerfData",
                $"-Dlog4j.configuration=file:{logSettings}",
                "-Dactivemq.home=/usr/share/activemq",
                $"-Dactivemq.base={home}",
                $"-Dactivemq.data={home}/data",
                "-jar",
                Program,
                "start",
                settings,
            ],
            new Dictionary<string, string>()
        );
        var broker = new BrokerUnderTest("ActiveMQ over STOMP", port, "/queue/bench", process, home)
        {
            Client = new StompClient(),
            IsDurable = isDurable,
            Difference = StompClient.Difference,
        };
        return await broker.WhenReachable(TimeSpan.FromSeconds(60));
    }
}
