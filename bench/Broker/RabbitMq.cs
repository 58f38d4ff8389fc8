namespace DroneDelivery.Bench.Broker;

/// <summary>RabbitMQ with its AMQP 1.0 plugin, from the Debian package, with its own node name, ports and folders.</summary>
internal static class RabbitMq
{
    public const string Server = "/usr/lib/rabbitmq/bin/rabbitmq-server";

    /// <param name="isDurable">Whether RabbitMQ confirms a message after writing it to disk.</param>
    public static async Task<BrokerUnderTest> StartAsync(bool isDurable)
    {
        var port = ChildProcess.FreePort();
        var home = Directory.CreateTempSubdirectory("bench-rabbitmq-").FullName;
        await File.WriteAllTextAsync(Path.Combine(home, "enabled_plugins"), "[rabbitmq_amqp1_0].");
        await File.WriteAllTextAsync(
            Path.Combine(home, "rabbitmq.conf"),
            $"listeners.tcp.1 = 127.0.0.1:{port}\namqp1_0.default_user = guest\n"
        );
        var process = ChildProcess.Start(
            Server,
            [],
            [
                ("HOME", home),
                ("RABBITMQ_NODENAME", "drone-bench@localhost"),
                ("RABBITMQ_MNESIA_BASE", Path.Combine(home, "mnesia")),
                ("RABBITMQ_LOG_BASE", Path.Combine(home, "log")),
                ("RABBITMQ_ENABLED_PLUGINS_FILE", Path.Combine(home, "enabled_plugins")),
                ("RABBITMQ_CONFIG_FILE", Path.Combine(home, "rabbitmq.conf")),
                ("RABBITMQ_DIST_PORT", $"{ChildProcess.FreePort()}"),
                ("ERL_EPMD_PORT", $"{ChildProcess.FreePort()}"),
                ("ERL_EPMD_ADDRESS", "127.0.0.1"),
            ]
        );
        var broker = new BrokerUnderTest("RabbitMQ AMQP 1.0", port, "/queue/bench", process)
        {
            Home = home,
            Login = SaslClient.Anonymous,
            IsDurable = isDurable,
        };
        await broker.UntilReachableAsync();
        return broker;
    }
}
