using System.Text.Json;
using Azure.Messaging.ServiceBus;
using DroneDelivery.Consumers;

// One replica of a service that a system's file describes: FILE SERVICE CONNECTION_STRING. It ends when its input does, and then writes how
// late this machine was: milliseconds of a message beyond its waits, and the factor on its CPU time.
using var file = JsonDocument.Parse(await File.ReadAllTextAsync(args[0]));
var (system, own) = (file.RootElement, file.RootElement.GetProperty("services").GetProperty(args[1]));
await using var client = new ServiceBusClient(args[2]);
using var work = new Work(own, system);
var senders = own.TryGetProperty("sends", out var sends)
    ? sends.EnumerateArray().Select(queue => client.CreateSender(queue.GetString())).ToList()
    : [];
await using var processor = client.CreateProcessor(
    own.GetProperty("receives").GetString(),
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
    foreach (var sender in senders)
        await sender.SendMessageAsync(new ServiceBusMessage(it.Message));
    await it.CompleteMessageAsync(it.Message);
    work.Late.Enqueue((TimeProvider.System.GetElapsedTime(began) - waited).TotalMilliseconds);
};
await processor.StartProcessingAsync();
await Console.In.ReadToEndAsync();
await processor.StopProcessingAsync();
Console.WriteLine(JsonSerializer.Serialize(new { late = work.Late.Average(), cpuCost = work.CpuCost }));
