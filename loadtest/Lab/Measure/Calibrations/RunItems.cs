using DroneDelivery.Lab.Stages;
using DroneDelivery.Telemetry.Query;

namespace DroneDelivery.Lab.Measure;

internal static class RunItems
{
    private const string Within = "| where timestamp > start and timestamp < end";

    private static readonly KqlQuery Calls = KqlQuery.Parse($$"""
        let start = ago(1h); let end = now();
        dependencies {{Within}} | where cloud_RoleName has 'workflow'
        | where name endswith 'Complete' or target in ('package', 'delivery', 'dronescheduler')
        | project timestamp, cloud_RoleName, cloud_RoleInstance, name, target, duration, success, itemCount
        """);

    private static readonly KqlQuery Requests = KqlQuery.Parse($$"""
        let start = ago(1h); let end = now();
        requests {{Within}}
        | project timestamp, cloud_RoleName, cloud_RoleInstance, name, target = '', duration, success, itemCount
        """);

    private static readonly KqlQuery Processes = KqlQuery.Parse($$"""
        let start = ago(1h); let end = now();
        replicaSamples {{Within}} | project timestamp, service, replica, cpu
        """);

    private static readonly KqlQuery Nodes = KqlQuery.Parse($$"""
        let start = ago(1h); let end = now();
        nodeSamples {{Within}} | project timestamp, node, cpu
        """);

    public static IReadOnlyList<TelemetryItem> Of(RunTelemetry run, StageTimes stage, CancellationToken cancellationToken)
    {
        QueryResult Ask(KqlQuery query) => run.Ask(query, stage, cancellationToken);
        return
        [
            .. Timed(Ask(Calls), ItemKind.Dependency),
            .. Timed(Ask(Requests), ItemKind.Request),
            .. Rows(Ask(Processes), it => new TelemetryItem(
                ItemKind.ProcessCpu, Time(it(0)), (string)it(1)!, (string)it(2)!, "", "", (double)it(3)!, true)),
            .. Rows(Ask(Nodes), it => new TelemetryItem(
                ItemKind.NodeCpu, Time(it(0)), "", (string)it(1)!, "", "", (double)it(2)!, true)),
        ];
    }

    private static IEnumerable<TelemetryItem> Timed(QueryResult answer, ItemKind kind) => Rows(answer, it => new TelemetryItem(
        kind, Time(it(0)), $"{it(1)}", $"{it(2)}", $"{it(3)}", $"{it(4)}", (double)it(5)!, it(6) is true, it(7) is long count ? count : 1));

    private static IEnumerable<TelemetryItem> Rows(QueryResult answer, Func<Func<int, object?>, TelemetryItem> item) =>
        Enumerable.Range(0, answer.Rows).Select(row => item(column => answer[row, column]));

    private static DateTimeOffset Time(object? cell) => new((DateTime)cell!);
}
