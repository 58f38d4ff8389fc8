using System.Text.RegularExpressions;
using DroneDelivery.Testing;

namespace DroneDelivery.Architecture.Tests;

/// <summary>
/// The layers in docs/internals/code-map.md. A folder is a layer and a namespace, and uses only layers below it.
/// </summary>
public sealed class LayersTests
{
    private static readonly Layered Lab = new(
        "loadtest/Lab",
        "DroneDelivery.Lab",
        ["Cli", "Workshop", "Run", "Report", "Judge", "Measure", "Load", "Cluster", "Predict", "Stages"],
        above: ["Program.cs"]
    );

    private static readonly Layered Broker = new(
        "local/LocalServiceBus",
        "DroneDelivery.LocalServiceBus",
        ["Hosting", "Admin", "Page", "Metrics", "Journal", "Configuration", "Wire", "Access", "Entities"],
        above: ["LocalServiceBus.cs", "LocalServiceBusOptions.cs"]
    );

    public static TheoryData<string, string> Files => [.. FilesOf(Lab), .. FilesOf(Broker)];

    [Theory, MemberData(nameof(Files))]
    public void File_uses_only_layers_below_its_own(string project, string file)
    {
        var layers = project == Lab.Project ? Lab : Broker;
        var source = File.ReadAllText(Path.Combine(Repository.Root, project, file));
        var layer = LayerOf(file);

        Assert.Equal(layer, layers.NamespaceOf(source));
        Assert.Equal([], layers.MentionedIn(source).Where(used => !layers.MayUse(layer, used)));
    }

    [Fact]
    public void Layer_is_found_in_using_directives_and_full_type_names() =>
        Assert.Equal(
            ["Entities", "Wire"],
            Broker.MentionedIn(
                """
                using DroneDelivery.LocalServiceBus.Entities.Rules;
                namespace DroneDelivery.LocalServiceBus.Access;
                private DroneDelivery.LocalServiceBus.Wire.Outcome? _outcome;
                """
            )
        );

    private static IEnumerable<(string Project, string File)> FilesOf(Layered layered)
    {
        var root = Path.Combine(Repository.Root, layered.Project);
        return Directory
            .EnumerateFiles(root, "*.cs", SearchOption.AllDirectories)
            .Select(file => Path.GetRelativePath(root, file))
            .Where(file => !layered.Above.Contains(file))
            .Select(file => (layered.Project, file));
    }

    private static string LayerOf(string file) =>
        file.Split(Path.DirectorySeparatorChar) is [var folder, _, ..] ? folder : "";

    /// <param name="layers">The layers from top to bottom. Files outside of folders are below all of them.</param>
    /// <param name="above">The files that compose the layers.</param>
    private sealed class Layered(string project, string root, string[] layers, string[] above)
    {
        // Matches a using directive or a full type name.
        private readonly Regex _mentioned = new(
            $@"^(?!namespace ).*\b{Regex.Escape(root)}\.(?<layer>[A-Z]\w*)",
            RegexOptions.Multiline | RegexOptions.ExplicitCapture
        );

        private readonly Regex _namespace = new(
            $@"^namespace {Regex.Escape(root)}(\.(?<layer>\w+)[\w.]*)?;",
            RegexOptions.Multiline | RegexOptions.ExplicitCapture
        );

        public string Project => project;

        public string[] Above => above;

        public bool MayUse(string layer, string used)
        {
            var (from, to) = (Array.IndexOf(layers, layer), Array.IndexOf(layers, used));
            return to >= 0 && from >= 0 && to >= from;
        }

        public string NamespaceOf(string source) => _namespace.Match(source).Groups["layer"].Value;

        public IEnumerable<string> MentionedIn(string source) =>
            _mentioned.Matches(source).Select(match => match.Groups["layer"].Value);
    }
}
