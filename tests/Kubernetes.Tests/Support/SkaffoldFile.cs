namespace DroneDelivery.Kubernetes.Tests.Support;

/// <summary>
/// skaffold.yaml with profiles, as skaffold puts them together: in the order in which they are named, each first laid over what is there
/// (objects member by member, lists as a whole) and then patched.
/// </summary>
internal sealed class SkaffoldFile
{
    private static readonly string Text = File.ReadAllText(Path.Combine(Repository.Root, "skaffold.yaml"));

    private readonly JsonNode _file = Yaml.Documents(Text).Single();

    public IReadOnlyList<JsonNode> Artifacts => [.. _file["build"]!["artifacts"]!.AsArray().OfType<JsonNode>()];

    public IReadOnlyList<JsonNode> PortForward => [.. _file["portForward"]!.AsArray().OfType<JsonNode>()];

    public IReadOnlyList<string> ValuesFiles => [.. Release["valuesFiles"]!.AsArray().Select(file => file!.ToString())];

    public JsonObject Values => Release["setValueTemplates"]!.AsObject();

    private JsonNode Release => _file["deploy"]!["helm"]!["releases"]!.AsArray().Single()!;

    public static SkaffoldFile With(params string[] profiles)
    {
        var skaffold = new SkaffoldFile();
        foreach (var name in profiles)
            skaffold.Apply(skaffold._file["profiles"]!.AsArray().Single(profile => profile!["name"]!.ToString() == name)!.AsObject());
        return skaffold;
    }

    /// <summary>Folder of the project that an image is built of.</summary>
    public static string ProjectOf(JsonNode artifact) => artifact["custom"]!["buildCommand"]!.ToString().Split(' ')[1];

    /// <summary>Path of a project's file, from the root of the repository.</summary>
    public static string PathOf(string project)
    {
        var folder = project switch { "Lab" => "loadtest", "ServiceBus" => "local", _ => "services" };
        return $"{folder}/{project}/{project}.csproj";
    }

    private void Apply(JsonObject profile)
    {
        foreach (var part in new[] { "build", "deploy", "portForward" })
        {
            if (profile[part] is { } over)
                _file[part] = LaidOver(_file[part], over);
        }
        foreach (var patch in profile["patches"]?.AsArray() ?? [])
            Patch(patch!);
    }

    private static JsonNode LaidOver(JsonNode? under, JsonNode over)
    {
        if (under is not JsonObject members || over is not JsonObject others)
            return over.DeepClone();
        var result = members.DeepClone().AsObject();
        foreach (var (name, value) in others)
            result[name] = LaidOver(members[name], value!);
        return result;
    }

    // RFC 6902, as far as the profiles use it.
    private void Patch(JsonNode patch)
    {
        Assert.Equal("add", patch["op"]!.ToString());
        var path = patch["path"]!.ToString().Split('/')[1..];
        var container = path[..^1].Aggregate(
            _file,
            (node, step) => node is JsonArray list ? list[int.Parse(step, provider: null)]! : node[step]!);
        if (container is JsonArray array)
            array.Add(path[^1] == "-" ? patch["value"]!.DeepClone() : throw new ArgumentException($"{patch["path"]}: not at the end."));
        else
            container[path[^1]] = patch["value"]!.DeepClone();
    }
}
