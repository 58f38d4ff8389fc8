using System.CommandLine;
using System.Text.Json;
using DroneDelivery.Lab.Processes;
using Spectre.Console;

namespace DroneDelivery.Lab.Commands;

internal sealed record StatusArguments(bool Json = false);

/// <summary><c>lab status</c>: queue, replicas and Redis of the running application.</summary>
internal sealed class StatusCommand : Verb<StatusArguments>
{
    private readonly Option<bool> _json = SharedOptions.Json("Print the status as JSON.");

    public StatusCommand()
        : base("status", "Shows the queue, the replicas and Redis of the running application.")
    {
        Takes(_json);
        HasExamples("status", "status --json");
    }

    protected override StatusArguments Read(ParseResult parsed) => new(parsed.GetValue(_json));

    public override async Task<ExitCode> RunAsync(StatusArguments arguments, LabContext context, CancellationToken cancellationToken)
    {
        var status = await LabStatus.ReadAsync(LabState.Running(), cancellationToken);
        if (arguments.Json)
            await context.Out.Text.WriteLineAsync(JsonSerializer.Serialize(status, JsonSerializerOptions.Web));
        else
            Show(status, context.Out.Screen);
        return status.IsWell ? ExitCode.Held : ExitCode.Failed;
    }

    private static void Show(LabStatus status, IAnsiConsole output)
    {
        var queue = status.Queue;
        output.WriteLine($"{status.Verb}, process {status.ProcessId}, since {status.Since.ToLocalTime():HH:mm:ss}");
        output.WriteLine(queue is null
            ? $"queue  the broker does not answer{HistoryOf(status, "broker")}"
            : $"queue  {queue.Incoming} in, {queue.Outgoing} handed out, {queue.Completed} completed; now {queue.Active} waiting, "
                + $"{queue.Locked} locked, {queue.DeadLetter} dead-lettered{HistoryOf(status, "broker")}");
        output.WriteLine(status.Redis is not { } redis
            ? $"Redis  does not answer{HistoryOf(status, "redis")}"
            : $"Redis  {redis.Keys} keys, {redis.UsedMemory / 1048576.0:0.0} MiB used, "
                + (redis.MaxMemory == 0 ? "no limit" : $"limit {redis.MaxMemory / 1048576.0:0.0} MiB")
                + HistoryOf(status, "redis"));
        if (status.Azurite is { } azurite)
        {
            output.WriteLine(
                (azurite.Answers ? $"tables {azurite.Url} (Azurite)" : "tables Azurite does not answer")
                    + HistoryOf(status, AzuriteServer.Name));
        }
        output.Write(Of(status.Replicas));
    }

    private static Table Of(IReadOnlyList<ReplicaStatus> replicas)
    {
        var table = new Table().Border(TableBorder.Simple)
            .AddColumns("replica", "state", "restarts", "last exit", "process", "memory", "URL");
        foreach (var replica in replicas)
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

        return table;
    }

    private static string HistoryOf(LabStatus status, string process) =>
        status.Histories.TryGetValue(process, out var history)
            ? $"; {history.State}, restarted {Times(history.Restarts)}, last exit code {history.LastExit}"
            : "";

    private static string Times(int count) => count == 1 ? "once" : $"{count} times";
}
