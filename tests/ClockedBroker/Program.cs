using System.Globalization;
using DroneDelivery.LocalServiceBus;
using DroneDelivery.Testing;

// A broker for tests in other languages. Its clock stands still: each line of the input moves it ahead by that many seconds. It starts
// ahead of the system clock, by which an SDK would take a lock to have ended.
var clock = new ManualTimeProvider(TimeProvider.System.GetUtcNow().AddHours(1));
await using var broker = await LocalServiceBus.StartAsync(
    new LocalServiceBusOptions { Port = 0, TimeProvider = clock }
);
Console.WriteLine($"Service Bus is listening: {broker.ConnectionString}");
while (await Console.In.ReadLineAsync() is { } seconds)
{
    clock.Advance(TimeSpan.FromSeconds(double.Parse(seconds, CultureInfo.InvariantCulture)));
    Console.WriteLine("The clock has moved.");
}
