using DroneDelivery.Lab.Stages;

namespace DroneDelivery.Lab.Predict;

/// <summary>What a system's file may not say.</summary>
internal static class SystemFaults
{
    private const int Most = 10_000,
        MostQueues = 100;

    /// <exception cref="BadInputException">Nothing can be simulated with it.</exception>
    public static SystemFile Valid(this SystemFile it, Func<string, string> where) =>
        Of(it).FirstOrDefault() is { Field: not null } fault
            ? throw new BadInputException($"{where(fault.Field)}: {fault.Text}.")
            : it;

    private static IEnumerable<(string Field, string Text)> Of(SystemFile it) =>
        [
            .. Missing(it),
            .. OfLoad(it.Load),
            .. OfNodes(it.Nodes),
            .. it.Services.SelectMany(service => OfService(service.Key, service.Value, it)),
            .. it.Queues.SelectMany((queue, place) => OfQueue(queue.Key, queue.Value, place, it)),
        ];

    private static IEnumerable<(string Field, string Text)> Missing(SystemFile it)
    {
        if (it.Load is null)
            yield return ("load", "load has to say what comes in: { \"perSecond\": 40 }");
        if (it.Queues.Count is 0 or > MostQueues)
        {
            yield return (
                "queues",
                $"queues has to name 1 to {MostQueues} queues: {{ \"orders\": {{ \"lockDuration\": \"30s\" }} }}"
            );
        }

        if (it.Services.Count == 0)
            yield return ("services", "services has to name those that receive, and those that they call");
        else if (it.Accepts is not null && !it.Services.ContainsKey(it.Accepts))
            yield return ("accepts", $"accepts has to be one of the services ({string.Join(", ", it.Services.Keys)})");
    }

    private static IEnumerable<(string Field, string Text)> OfLoad(SystemLoad? load)
    {
        if (load is null)
            yield break;
        if (load.PerSecond is null == load.MaxUsers is null)
            yield return ("load", "load has either perSecond or maxUsers");
        if (load.PerSecond is <= 0 or > 100_000)
            yield return ("load.perSecond", "load.perSecond has to be above 0, at most 100,000");
        if (load.MaxUsers is <= 0 or > 100_000)
            yield return ("load.maxUsers", "load.maxUsers has to be from 1 to 100,000");
        if (
            load
            is { StartUsers: < 0 }
                or { StepUsers: < 1 }
                or { StepSeconds: <= 0 }
                or { RequestEveryMilliseconds: < 1 }
        )
        {
            yield return ("load", "stepUsers, stepSeconds and requestEveryMilliseconds have to be above 0");
        }

        if (load.Duration is <= 0 or > 86_400)
            yield return ("load.duration", "load.duration has to be above 0s, at most 24h");
    }

    private static IEnumerable<(string Field, string Text)> OfNodes(SystemNodes? nodes)
    {
        if (
            nodes is not null
            && (nodes.Count is < 1 or > Most || nodes.VCpu is < 1 or > Most || nodes.System.Servers >= nodes.VCpu)
        )
        {
            yield return (
                "nodes",
                $"nodes.count and nodes.vCpu have to be from 1 to {Most:#,0}, and the system has to leave some of it"
            );
        }
    }

    /// <summary>Messages go one way, and each queue has one service that receives; each but the first has one that sends.</summary>
    private static IEnumerable<(string Field, string Text)> OfQueue(
        string name,
        SystemQueue it,
        int place,
        SystemFile system
    )
    {
        var field = $"queues.{name}";
        if (it.LockDuration is < 1 or > 300)
            yield return ($"{field}.lockDuration", $"{field}.lockDuration has to be from 1s to 5m");
        if (it.MaxDeliveryCount < 1)
            yield return ($"{field}.maxDeliveryCount", $"{field}.maxDeliveryCount has to be at least 1");
        if (it.MessagesAtStart < 0)
            yield return ($"{field}.messagesAtStart", $"{field}.messagesAtStart has to be at least 0");
        if (system.Services.Count(service => service.Value.Receives == name) != 1)
            yield return (field, $"exactly one of the services has to have \"receives\": \"{name}\"");
        List<string?> senders =
        [
            .. system.Services.Values.SelectMany(service =>
                service.Sends.Where(name.Equals).Select(_ => service.Receives)
            ),
        ];
        if (place == 0 && senders.Count > 0)
            yield return (field, $"{name} is the first queue, which what comes in goes to: no service may send to it");
        else if (place > 0 && senders.Count != 1)
            yield return (field, $"exactly one of the services has to send to {name}, once");
        else if (place > 0 && !system.Queues.Keys.Take(place).Contains(senders[0]))
            yield return (field, $"{name} has to come after {senders[0]}, whose messages lead to its own");
    }

    private static IEnumerable<(string Field, string Text)> OfService(string name, SystemService it, SystemFile system)
    {
        var (services, queues) = (system.Services, system.Queues);
        var field = $"services.{name}";
        if (it.Replicas is < 1 or > Most)
            yield return ($"{field}.replicas", $"{name}.replicas has to be from 1 to {Most:#,0}");
        foreach (
            var unknown in it.Calls.SelectMany(step => step.Services).Where(called => !services.ContainsKey(called))
        )
        {
            yield return (
                $"{field}.calls",
                $"{name}.calls: {unknown} is not one of the services{Hint(unknown, services.Keys)}"
            );
        }

        if (it.Receives is { } from && !queues.ContainsKey(from))
        {
            yield return (
                $"{field}.receives",
                $"{name}.receives: {from} is not one of the queues{Hint(from, queues.Keys)}"
            );
        }

        foreach (var unknown in it.Sends.Where(queue => !queues.ContainsKey(queue)))
        {
            yield return (
                $"{field}.sends",
                $"{name}.sends: {unknown} is not one of the queues{Hint(unknown, queues.Keys)}"
            );
        }

        if (it.Sends.Count > 0 && it.Receives is null)
        {
            yield return (
                $"{field}.sends",
                $"{name} sends for messages that it receives: {name}.receives has to name their queue"
            );
        }

        if (it.MaxConcurrentCalls is < 1 or > Most)
            yield return ($"{field}.maxConcurrentCalls", $"{name}.maxConcurrentCalls has to be from 1 to {Most:#,0}");
        if (it.PrefetchCount < 0 || (it.PrefetchCount > 0 && it.PrefetchCount < it.MaxConcurrentCalls))
        {
            yield return (
                $"{field}.prefetchCount",
                $"{name}.prefetchCount has to be 0, or at least maxConcurrentCalls"
            );
        }
    }

    private static string Hint(string name, IEnumerable<string> names) =>
        Nearest.To(name, names) is [var near, ..] ? $"; did you mean {near}?" : "";
}
