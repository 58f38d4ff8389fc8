using System.CommandLine;
using DroneDelivery.Lab.Cluster;
using Spectre.Console;

namespace DroneDelivery.Lab.Cli;

internal sealed class StatusCommand : Verb
{
    private readonly Option<bool> _json = OptionOf.Json("Print the status as JSON.");

    public StatusCommand()
        : base("status", "Shows the queue, the replicas and Redis of the running application.")
    {
        Takes(_json);
        HasExamples("status", "status --json");
    }

    protected override async Task<ExitCode> RunAsync()
    {
        var status = await LabStatus.ReadAsync(LabState.Running(), Left);
        Out.Write(Get(_json) ? PrintedJson.Of(status) : null, screen => Show(status, screen));
        return status.IsWell ? ExitCode.Held : ExitCode.Failed;
    }

    private static void Show(LabStatus status, IAnsiConsole output)
    {
        var queue = status.Queue;
        output.WriteLine($"{status.Verb}, process {status.ProcessId}, since {status.Since.ToLocalTime():HH:mm:ss}");
        output.WriteLine(
            queue is null
                ? $"queue  the broker does not answer{HistoryOf(status, "broker")}"
                : $"queue  {queue.Incoming} in, {queue.Outgoing} delivered, {queue.Completed} completed; now {queue.Active} waiting, "
                    + $"{queue.Locked} locked, {queue.DeadLetter} dead-lettered{HistoryOf(status, "broker")}"
        );
        output.WriteLine(
            status.Redis is not { } redis
                ? $"Redis  does not answer{HistoryOf(status, "redis")}"
                : $"Redis  {redis.Keys} keys, {redis.UsedMemory / 1048576.0:0.0} MiB used, "
                    + (redis.MaxMemory == 0 ? "no limit" : $"limit {redis.MaxMemory / 1048576.0:0.0} MiB")
                    + HistoryOf(status, "redis")
        );
        output.WriteList(Of(status.Replicas));
    }

    private static Table Of(IReadOnlyList<ReplicaStatus> replicas) =>
        Table.Of("", ["replica", "state", "restarts#", "last exit#", "process#", "memory#", "URL"], replicas, it =>
            [
                it.Name,
                it.State,
                $"{it.Restarts}",
                $"{it.LastExit}",
                $"{it.ProcessId}",
                it.Memory is { } bytes ? $"{bytes / 1048576.0:0} MiB" : "",
                $"{it.Url}",
            ]
        );

    private static string HistoryOf(LabStatus status, string process) =>
        status.Histories.TryGetValue(process, out var history)
            ? $"; {history.State}, restarted {Times(history.Restarts)}, last exit code {history.LastExit}"
            : "";

    private static string Times(int count) => count == 1 ? "once" : $"{count} times";
}
