namespace DroneDelivery.Kubernetes.Tests.Support;

/// <summary>
/// skaffold.yaml with profiles, in the given order, as skaffold applies them (pkg/skaffold/schema/profiles.go): a list
/// of a profile replaces the existing list, a section such as deploy.helm replaces the whole section, and patches
/// follow.
/// </summary>
internal sealed class SkaffoldFile
{
    private readonly JsonNode _file = Yaml.Documents(Read("skaffold.yaml")).Single();

    public IReadOnlyList<JsonNode> Artifacts => [.. _file["build"]!["artifacts"]!.AsArray().OfType<JsonNode>()];

    public IReadOnlyList<JsonNode> PortForward => [.. _file["portForward"]!.AsArray().OfType<JsonNode>()];

    public IReadOnlyList<string> ValuesFiles => [.. Release["valuesFiles"]!.AsArray().Select(file => file!.ToString())];

    public JsonObject Values => Release["setValueTemplates"]!.AsObject();

    public string FlagsOfUpgrade => _file["deploy"]!["helm"]!["flags"]?["upgrade"]?.ToJsonString() ?? "";

    public JsonNode Release => _file["deploy"]!["helm"]!["releases"]!.AsArray().Single()!;

    public static SkaffoldFile With(params string[] profiles)
    {
        var skaffold = new SkaffoldFile();
        foreach (var name in profiles)
        {
            skaffold.Apply(
                skaffold._file["profiles"]!
                    .AsArray()
                    .Single(profile => profile!["name"]!.ToString() == name)!
                    .AsObject()
            );
        }

        return skaffold;
    }

    public static string ProjectOf(JsonNode artifact) => artifact["custom"]!["buildCommand"]!.ToString().Split(' ')[^1];

    public static string PathOf(string project)
    {
        var folder = project switch
        {
            "Lab" => "loadtest",
            "ServiceBus" => "local",
            _ => "services",
        };
        return $"{folder}/{project}/{project}.csproj";
    }

    private void Apply(JsonObject profile)
    {
        Assert.Empty(profile.Select(part => part.Key).Except(["name", "build", "portForward", "patches"]));
        if (profile["build"] is JsonObject build)
            _file["build"]!["artifacts"] = Assert.Single(build, part => part.Key == "artifacts").Value!.DeepClone();
        if (profile["portForward"] is { } forwarded)
            _file["portForward"] = forwarded.DeepClone();
        foreach (var patch in profile["patches"]?.AsArray() ?? [])
            Patch(patch!);
    }

    // RFC 6902, as far as the profiles use it.
    private void Patch(JsonNode patch)
    {
        var isNew = patch["op"]!.ToString() == "add";
        var path = patch["path"]!.ToString().Split('/')[1..];
        var container = path[..^1]
            .Aggregate(_file, (node, step) =>
                node is JsonArray list ? list[int.Parse(step, provider: null)]! : node[step]!
            );
        if (container is JsonArray array)
        {
            array.Add(
                path[^1] == "-"
                    ? patch["value"]!.DeepClone()
                    : throw new ArgumentException($"{patch["path"]}: a patch must append at the end.")
            );
        }
        else if (isNew || container[path[^1]] is not null)
        {
            container[path[^1]] = patch["value"]!.DeepClone();
        }
        else
        {
            throw new ArgumentException($"{patch["path"]}: the patch has nothing to {patch["op"]}.");
        }
    }
}
