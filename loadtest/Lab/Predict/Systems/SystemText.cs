using System.Text.Json;
using System.Text.Json.Nodes;
using DroneDelivery.Lab.Stages;

namespace DroneDelivery.Lab.Predict;

/// <summary>
/// The text of a system file. Some fields correspond to settings of the application: <c>lockDuration</c> of <c>queue</c> is
/// <c>queue.lockDuration</c>, and the fields of the receiving service are those of <c>workflow</c>.
/// </summary>
internal sealed class SystemText
{
    /// <summary>The maximum of counts in a system, which can exceed the number of processes that the lab can start.</summary>
    public const int Most = 10_000;

    private const string Services = "services";

    private static readonly string[] NotSimulated =
    [
        "http.concurrencyLimit",
        "http.concurrencyQueue",
        "workflow.replicas",
        "workflow.supervisor",
    ];

    /// <summary>The defaults of a system file: one handler, and no retries.</summary>
    private static readonly KnobSet Bare = KnobSet.Parse([
        "workflow.maxConcurrentCalls=1",
        "workflow.prefetchCount=0",
        "workflow.retryFor=0",
        "workflow.holdDuringOutage=off",
        "http.retryDelays=",
        "http.retryJitter=0",
        "http.attemptTimeout=100",
        "http.breakerFailureRatio=0",
        "http.breakerMinimumThroughput=2",
    ]);

    private readonly JsonObject _root;
    private readonly Func<string, string> _where;

    /// <param name="where">Returns the location of a field for an error message.</param>
    private SystemText(JsonObject root, Func<string, string> where) => (_root, _where) = (root, where);

    /// <param name="set"><c>FIELD=VALUE</c> from the command line, where the field starts with its part or service.</param>
    /// <exception cref="BadInputException">The file can't be read or is invalid. The message names the field and its line.</exception>
    public static SystemFile Load(string file, IReadOnlyList<string> set)
    {
        var text = LabFile.Text(file);
        var system = Of(text, file, field => LabFile.At(file, LabFile.LineOf(text, field))).Read();
        if (set.Count == 0)
            return system;
        var changed = Of(text, file, _ => $"--set {string.Join(' ', set)}");
        foreach (var pair in set)
            changed.Set(pair);
        return changed.Read();
    }

    /// <summary>The settings that are also fields of a part.</summary>
    /// <param name="group">The part, or <c>workflow</c> for a service.</param>
    public static IEnumerable<(string Field, Knob Knob)> FieldsOf(string group) =>
        KnobTable
            .All.Where(knob => knob.Name.StartsWith($"{group}.", StringComparison.Ordinal))
            .Where(knob => !NotSimulated.Contains(knob.Name))
            .Select(knob => (knob.Name[(group.Length + 1)..], knob));

    private static SystemText Of(string text, string file, Func<string, string> where) =>
        new(LabFile.Parse<JsonObject>(text, file), where);

    private SystemFile Read()
    {
        var services = _root[Services] as JsonObject ?? new JsonObject();
        var ofServices = services.ToDictionary(
            service => service.Key,
            service => Take(service.Value, $"{Services}.{service.Key}", "workflow")
        );
        var knobs = KnobSet.Of([
            .. Take(_root["queue"], "queue", "queue"),
            .. Take(_root["http"], "http", "http"),
            .. Take(_root["nodes"], "nodes", "nodes"),
            .. ofServices.GetValueOrDefault($"{_root["receives"]}", []),
        ]);
        return (LabFile.Parse<SystemFile>(_root, _where) with { Knobs = Bare.With(knobs) }).Valid(_where);
    }

    /// <summary>Removes the settings from a part.</summary>
    private List<(Knob Knob, KnobValue Value)> Take(JsonNode? part, string path, string group)
    {
        var taken = new List<(Knob, KnobValue)>();
        if (part is not JsonObject fields)
            return taken;
        foreach (var (name, knob) in FieldsOf(group))
        {
            if (fields.Remove(name, out var value))
                taken.Add((knob, ValueOf(knob, $"{path}.{name}", value)));
        }

        return taken;
    }

    private KnobValue ValueOf(Knob knob, string field, JsonNode? value)
    {
        var named = knob with { Name = field, Max = knob.Unit == KnobUnit.Count ? Math.Max(Most, knob.Max) : knob.Max };
        try
        {
            return named.Parse(KnobText.Of(value));
        }
        catch (BadInputException exception)
        {
            throw new BadInputException($"{_where(field)}: {exception.Message}.");
        }
    }

    private void Set(string pair)
    {
        var at = pair.IndexOf('=', StringComparison.Ordinal);
        var dot = pair[..Math.Max(0, at)].LastIndexOf('.');
        var part = pair[..Math.Max(0, dot)].Trim();
        if ((_root[part] ?? _root[Services]?[part]) is not JsonObject fields)
        {
            throw new BadInputException(
                $"--set {pair}: expected FIELD=VALUE with a field such as SERVICE.replicas or queue.lockDuration."
            );
        }

        fields[pair[(dot + 1)..at].Trim()] = JsonOf(pair[(at + 1)..].Trim());
    }

    // Text that isn't JSON is a string value.
    private static JsonNode? JsonOf(string text)
    {
        try
        {
            return JsonNode.Parse(text);
        }
        catch (JsonException)
        {
            return text;
        }
    }
}
