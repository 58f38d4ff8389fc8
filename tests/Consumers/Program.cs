using System.Text.Json;
using Azure.Messaging.ServiceBus;
using DroneDelivery.Consumers;

// One replica of the receiving service of a system file: FILE QUEUE CONNECTION_STRING. It exits when its input ends,
// and then prints the delays of this machine: milliseconds per message beyond its waits, and the factor on its CPU
// time.
using var file = JsonDocument.Parse(await File.ReadAllTextAsync(args[0]));
var system = file.RootElement;
var own = system.GetProperty("services").GetProperty(system.GetProperty("receives").GetString()!);
await using var client = new ServiceBusClient(args[2]);
using var work = new Work(own, system);
await using var processor = client.CreateProcessor(
    args[1],
    new ServiceBusProcessorOptions
    {
        MaxConcurrentCalls = own.GetProperty("maxConcurrentCalls").GetInt32(),
        AutoCompleteMessages = false,
        PrefetchCount = own.TryGetProperty("prefetchCount", out var count) ? count.GetInt32() : 0,
    }
);
processor.ProcessErrorAsync += it => Console.Error.WriteLineAsync(it.Exception.ToString());
processor.ProcessMessageAsync += async it =>
{
    var began = TimeProvider.System.GetTimestamp();
    var waited = await work.DoAsync(new Random((int)it.Message.SequenceNumber));
    await it.CompleteMessageAsync(it.Message);
    work.Late.Enqueue((TimeProvider.System.GetElapsedTime(began) - waited).TotalMilliseconds);
};
await processor.StartProcessingAsync();
await Console.In.ReadToEndAsync();
await processor.StopProcessingAsync();
Console.WriteLine(JsonSerializer.Serialize(new { late = work.Late.Average(), cpuCost = work.CpuCost }));
