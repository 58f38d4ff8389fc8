using DroneDelivery.LocalServiceBus;
using DroneDelivery.ServiceBus;

try
{
    var builder = WebApplication.CreateSlimBuilder();
    // A failed start is told below, in one line.
    builder.Logging.AddFilter("Microsoft", LogLevel.Warning).AddFilter("Microsoft.Extensions.Hosting", LogLevel.None);
    builder.Configuration.AddInMemoryCollection(Arguments.Read(args));
    await using var broker = await LocalServiceBus.StartAsync(builder, LocalServiceBusOptions.From(builder.Configuration));
    Console.WriteLine($"Service Bus is listening: {broker.ConnectionString}");
    await broker.WaitForShutdownAsync();
    return 0;
}
catch (BrokerStartException error)
{
    await Console.Error.WriteLineAsync(error.Message);
    return 1;
}
