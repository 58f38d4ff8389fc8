using System.Text.RegularExpressions;
using DroneDelivery.Testing;

namespace DroneDelivery.Architecture.Tests;

/// <summary>The links, paths and class names of pages exist.</summary>
public sealed partial class PagesTests
{
    private static readonly string[] NotOurs = ["artifacts", "bin", "obj", "node_modules", ".git"];

    public static TheoryData<string> Pages =>
        [.. PagesIn(Repository.Root).Select(path => Path.GetRelativePath(Repository.Root, path))];

    /// <summary>The table contains both engines, of which a deployment uses one.</summary>
    [Fact]
    public void Code_map_lists_the_files_that_a_delivery_passes()
    {
        var page = Text("docs/internals/code-map.md");
        var table = page.Split("## The files that process a delivery")[1].Split("\n## ")[0];
        var named = NameOfFile().Matches(table).Select(match => match.Groups["name"].Value).ToList();
        var files = Repository.Code().Select(file => Path.GetFileNameWithoutExtension(file.Path)).ToHashSet();

        Assert.Equal([], named.Except(files));
        Assert.InRange(named.Distinct().Count() - 1, 1, 50);
        Assert.Contains($"these {named.Distinct().Count() - 1} files", page, StringComparison.Ordinal);
    }

    [Fact]
    public void Each_rule_of_the_architecture_names_existing_tests()
    {
        var table = Text("docs/explanation/architecture.md").Split("| Rule |")[1].Split("\n\n")[0];
        var named = table
            .Split('\n')[2..]
            .Select(row => TestClass().Matches(row).Select(match => match.Value).ToList())
            .ToList();
        var classes = Repository.Code().Select(file => Path.GetFileNameWithoutExtension(file.Path));

        Assert.All(named, names => Assert.NotEmpty(names));
        Assert.Equal([], named.SelectMany(names => names).Except(classes));
    }

    [Theory, MemberData(nameof(Pages))]
    public void Every_relative_link_has_an_existing_target(string page)
    {
        var links = Link().Matches(WithoutCode(Text(page))).Select(match => match.Groups["target"].Value);

        Assert.Equal([], links.Where(link => !Exists(page, link)));
    }

    [Fact]
    public void Every_page_is_in_the_index()
    {
        string[] indexes = ["docs/README.md", "docs/internals/README.md"];
        var linked = indexes.SelectMany(index =>
            Link().Matches(Text(index)).Select(match => PathFrom(index, match.Groups["target"].Value.Split('#')[0]))
        );

        Assert.Equal(
            [],
            PagesIn(Path.Combine(Repository.Root, "docs")).Except(linked).Except([PathFrom(indexes[0], "README.md")])
        );
    }

    [Theory, MemberData(nameof(Pages))]
    public void Every_path_in_code_exists(string page)
    {
        var paths = PathOfCode().Matches(WithoutCode(Text(page))).Select(match => match.Groups["path"].Value);

        Assert.Equal([], paths.Where(path => !Path.Exists(Path.Combine(Repository.Root, path))));
    }

    private static bool Exists(string page, string link)
    {
        if (link.Contains(':', StringComparison.Ordinal)) // An absolute URL, such as https:.
            return true;
        var (file, anchor) = link.Split('#') is [var before, var after] ? (before, after) : (link, null);
        var path = file.Length == 0 ? page : Path.Combine(Path.GetDirectoryName(page)!, file);
        return Path.Exists(Path.Combine(Repository.Root, path)) && (anchor is null || AnchorsOf(path).Contains(anchor));
    }

    private static string PathFrom(string page, string link) =>
        Path.GetFullPath(Path.Combine(Repository.Root, Path.GetDirectoryName(page)!, link));

    /// <summary>
    /// Returns the anchors that GitHub generates: lower case, without punctuation, and with a hyphen for each space.
    /// </summary>
    private static IEnumerable<string> AnchorsOf(string page) =>
        Heading()
            .Matches(WithoutCode(Text(page)))
            .Select(match =>
                Punctuation().Replace(match.Groups["text"].Value.Trim().ToLowerInvariant(), "").Replace(' ', '-')
            );

    private static IEnumerable<string> PagesIn(string folder) =>
        Directory
            .EnumerateFiles(folder, "*.md")
            .Order(StringComparer.Ordinal)
            .Concat(
                Directory
                    .EnumerateDirectories(folder)
                    .Where(path => !NotOurs.Contains(Path.GetFileName(path)))
                    .SelectMany(PagesIn)
            );

    private static string Text(string page) => File.ReadAllText(Path.Combine(Repository.Root, page));

    private static string WithoutCode(string text) => Fence().Replace(text, "");

    [GeneratedRegex("`(?<name>[A-Z]\\w+)`")]
    private static partial Regex NameOfFile();

    [GeneratedRegex(@"(?<=`)\w+Tests(?=`)")]
    private static partial Regex TestClass();

    [GeneratedRegex("^```.*?^```", RegexOptions.Multiline | RegexOptions.Singleline)]
    private static partial Regex Fence();

    [GeneratedRegex(@"\]\((?<target>[^)\s]+)\)")]
    private static partial Regex Link();

    // NAME and NNNN are placeholders.
    [GeneratedRegex(
        "`(?<path>(?:bench|build|docs|helm|infra|k8s|libs|loadtest|local|services|tests)/(?![^`]*(?:NAME|NNNN))[\\w./-]+)`"
    )]
    private static partial Regex PathOfCode();

    [GeneratedRegex("^#+ (?<text>.*)$", RegexOptions.Multiline)]
    private static partial Regex Heading();

    [GeneratedRegex(@"[^\w\- ]")]
    private static partial Regex Punctuation();
}
