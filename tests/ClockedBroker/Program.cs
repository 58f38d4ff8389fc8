using System.Globalization;
using DroneDelivery.LocalServiceBus;
using DroneDelivery.Testing;

// A broker for tests in other languages. Its clock is manual: each input line advances it by that number of seconds. It
// starts ahead of the system clock; otherwise, an SDK would consider locks expired.
var clock = new ManualTimeProvider(TimeProvider.System.GetUtcNow().AddHours(1));
await using var broker = await LocalServiceBus.StartAsync(
    new LocalServiceBusOptions { Port = 0, TimeProvider = clock }
);
Console.WriteLine($"Service Bus is listening: {broker.ConnectionString}");
while (await Console.In.ReadLineAsync() is { } seconds)
{
    clock.Advance(TimeSpan.FromSeconds(double.Parse(seconds, CultureInfo.InvariantCulture)));
    Console.WriteLine("The clock was advanced.");
}
