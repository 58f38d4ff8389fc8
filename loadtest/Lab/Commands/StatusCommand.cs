using System.CommandLine;
using System.Text.Json;
using DroneDelivery.Lab.Processes;
using Spectre.Console;

namespace DroneDelivery.Lab.Commands;

/// <summary><c>lab status</c>: queue, replicas and Redis of the running application.</summary>
internal static class StatusCommand
{
    public static Command Create()
    {
        var json = Options.Json("Print the status as JSON.");
        var command = new Command("status", "Shows the queue, the replicas and Redis of the running application.") { json }
            .WithExamples("status", "status --json");
        command.SetAction(async (parsed, cancellationToken) =>
        {
            var state = LabState.Read() ?? throw new LabException("Nothing is running. Start the application first: `./lab up`.");
            var status = await LabStatus.ReadAsync(state, cancellationToken);
            if (parsed.GetValue(json))
                Console.WriteLine(JsonSerializer.Serialize(status, JsonSerializerOptions.Web));
            else
                Show(status);
            return status.IsWell ? 0 : 1;
        });
        return command;
    }

    private static void Show(LabStatus status)
    {
        var queue = status.Queue;
        Terminal.Output.WriteLine($"{status.Verb}, process {status.ProcessId}, since {status.Since.ToLocalTime():HH:mm:ss}");
        Terminal.Output.WriteLine(queue is null
            ? $"queue  the broker does not answer{HistoryOf(status, "broker")}"
            : $"queue  {queue.Incoming} in, {queue.Outgoing} handed out, {queue.Completed} completed; now {queue.Active} waiting, "
                + $"{queue.Locked} locked, {queue.DeadLetter} dead-lettered{HistoryOf(status, "broker")}");
        Terminal.Output.WriteLine(status.Redis is not { } redis
            ? $"Redis  does not answer{HistoryOf(status, "redis")}"
            : $"Redis  {redis.Keys} keys, {redis.UsedMemory / 1048576.0:0.0} MiB used, "
                + (redis.MaxMemory == 0 ? "no limit" : $"limit {redis.MaxMemory / 1048576.0:0.0} MiB")
                + HistoryOf(status, "redis"));
        if (status.Azurite is { } azurite)
            Terminal.Output.WriteLine(
                (azurite.Answers ? $"tables {azurite.Url} (Azurite)" : "tables Azurite does not answer")
                    + HistoryOf(status, AzuriteServer.Name));
        var table = new Table().Border(TableBorder.Simple)
            .AddColumns("replica", "state", "restarts", "last exit", "process", "memory", "URL");
        foreach (var replica in status.Replicas)
        {
            table.AddRow(
                replica.Name,
                replica.State,
                $"{replica.Restarts}",
                $"{replica.LastExit}",
                $"{replica.ProcessId}",
                replica.Memory is { } bytes ? $"{bytes / 1048576.0:0} MiB" : "",
                $"{replica.Url}");
        }

        Terminal.Output.Write(table);
    }

    private static string HistoryOf(LabStatus status, string process) =>
        status.Histories.TryGetValue(process, out var history)
            ? $"; {history.State}, restarted {history.Restarts} times, last exit code {history.LastExit}"
            : "";
}
