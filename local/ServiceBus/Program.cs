using DroneDelivery.LocalServiceBus;
using DroneDelivery.ServiceBus;
using Microsoft.Extensions.Logging.Console;

// Process received data on the polling thread: for single messages, a thread switch takes longer than the processing.
Environment.SetEnvironmentVariable("DOTNET_SYSTEM_NET_SOCKETS_INLINE_COMPLETIONS", "1");

try
{
    // Watching for changed settings would watch all subfolders of the working folder.
    var builder = WebApplication.CreateSlimBuilder(["--hostBuilder:reloadConfigOnChange=false"]);
    // A startup error is reported below in one line.
    builder.Logging.AddFilter("Microsoft", LogLevel.Warning).AddFilter("Microsoft.Extensions.Hosting", LogLevel.None);
    // Warnings go to stderr, because callers read the connection string from the first line.
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
        Console.WriteLine($"Clients must trust its certificate: {certificate}");
    if (hasFirst)
    {
        Console.WriteLine(
            $"The broker has {FirstEntities.Description}. To specify your own queues, use --queue NAME or --config FILE."
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
