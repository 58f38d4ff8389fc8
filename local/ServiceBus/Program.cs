using DroneDelivery.LocalServiceBus;
using DroneDelivery.ServiceBus;
using Microsoft.Extensions.Logging.Console;

// What arrives is handled by the thread that waits for it: with a message in each packet, waking another takes longer than the message.
Environment.SetEnvironmentVariable("DOTNET_SYSTEM_NET_SOCKETS_INLINE_COMPLETIONS", "1");

try
{
    // To watch for changed settings is to watch every folder below the one where it was started.
    var builder = WebApplication.CreateSlimBuilder(["--hostBuilder:reloadConfigOnChange=false"]);
    // A failed start is told below, in one line.
    builder.Logging.AddFilter("Microsoft", LogLevel.Warning).AddFilter("Microsoft.Extensions.Hosting", LogLevel.None);
    // A warning never comes before the connection string, which callers read from the first line.
    builder.Services.Configure<ConsoleLoggerOptions>(console => console.LogToStandardErrorThreshold = LogLevel.Warning);
    builder.Configuration.AddInMemoryCollection(
        Arguments.Read(args.Where(argument => argument != HealthCheck.Argument))
    );
    var options = LocalServiceBusOptions.From(builder.Configuration);
    var latency = EmulatedLatency.From(builder.Configuration, options.TimeProvider);
    if (latency is not null)
        options.DelaySettlementResponse = latency.Delay;
    if (args.Contains(HealthCheck.Argument))
        return await HealthCheck.RunAsync(options);
    await using var broker = await LocalServiceBus.StartAsync(builder, options);
    var hasFirst = options.ConfigFile is null && FirstEntities.Create(broker.Entities);
    Console.WriteLine($"Service Bus is listening: {broker.PrintableConnectionString}");
    if (broker.CertificateFile is { } certificate)
        Console.WriteLine($"Clients have to trust its certificate: {certificate}");
    if (hasFirst)
    {
        Console.WriteLine(
            $"It has {FirstEntities.Description}: name your own queues with --queue NAME or --config FILE."
        );
    }

    await broker.WaitForShutdownAsync();
    return 0;
}
catch (BrokerStartException error)
{
    await Console.Error.WriteLineAsync(error.Message);
    return 2;
}
