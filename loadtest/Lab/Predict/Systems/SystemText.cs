using System.Text.Json;
using System.Text.Json.Nodes;
using DroneDelivery.Lab.Stages;
using DroneDelivery.Model;

namespace DroneDelivery.Lab.Predict;

/// <summary>
/// A system's file before it is read: fields can still be set. A field is named as a knob is, by its part or service:
/// <c>nodes.count</c>, <c>workflow.replicas</c>, <c>queue.lockDuration</c>.
/// </summary>
internal sealed class SystemText
{
    private readonly JsonObject _root;

    private SystemText(JsonObject root) => _root = root;

    /// <summary>The application's own.</summary>
    public static SystemText Ours => Of(Application.Value);

    // Read once: a search sets its fields thousands of times.
    private static readonly Lazy<string> Application = new(() =>
        File.ReadAllText(Path.Combine(Repository.Root, "loadtest", "systems", "drone-delivery.json"))
    );

    /// <param name="set"><c>FIELD=VALUE</c> as it was typed.</param>
    /// <exception cref="BadInputException">It cannot be read, or describes no system; the message names the field and its line.</exception>
    public static SystemFile Load(string file, IReadOnlyList<string> set)
    {
        var text = LabFile.Text(file);
        var system = LabFile
            .Parse<SystemFile>(text, file)
            .Valid(field => LabFile.At(file, LabFile.LineOf(text, field)));
        if (set.Count == 0)
            return system;
        var changed = Of(text);
        foreach (var pair in set)
            changed.Set(pair);
        return changed.Read($"--set {string.Join(' ', set)}").Valid(_ => $"--set {string.Join(' ', set)}");
    }

    /// <summary>As a file has a distribution.</summary>
    public static JsonObject Of(LogNormal it) => new() { ["mu"] = it.Mu, ["sigma"] = it.Sigma };

    /// <summary>Sets a field, if there is such a part or service.</summary>
    public void Put(string field, JsonNode? value)
    {
        if (PartOf(field) is var (part, name))
            part[name] = value;
    }

    /// <summary>Sets a field that the file has already; others are none of the model's.</summary>
    public void Replace(string field, JsonNode? value)
    {
        if (PartOf(field) is var (part, name) && part.ContainsKey(name))
            part[name] = value;
    }

    /// <summary>Sets a whole part, such as the load.</summary>
    public void PutPart(string part, JsonNode? value) => _root[part] = value;

    public SystemFile Read(string source) => LabFile.Parse<SystemFile>(_root, source);

    private static SystemText Of(string json) =>
        new(JsonNode.Parse(json, documentOptions: LabFile.Lenient)!.AsObject());

    private void Set(string pair)
    {
        var at = pair.IndexOf('=', StringComparison.Ordinal);
        if (at <= 0 || PartOf(pair[..at].Trim()) is not var (part, name))
        {
            throw new BadInputException(
                $"--set {pair}: expected FIELD=VALUE with a field such as SERVICE.replicas or queue.lockDuration."
            );
        }

        part[name] = ValueOf(pair[(at + 1)..].Trim());
    }

    private (JsonObject Part, string Name)? PartOf(string field)
    {
        if (field.LastIndexOf('.') is not (> 0 and var dot))
            return null;
        var part = field[..dot];
        return (_root[part] ?? _root["services"]?[part]) is JsonObject it ? (it, field[(dot + 1)..]) : null;
    }

    // What is no JSON is a text.
    private static JsonNode? ValueOf(string text)
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
