using System.Text.RegularExpressions;
using DroneDelivery.Testing;

namespace DroneDelivery.Architecture.Tests;

/// <summary>
/// The page about settings lists those in each <c>appsettings.json</c> file, which <c>AppSettingsTests</c> compares
/// with the options.
/// </summary>
public sealed partial class ConfigurationPageTests
{
    private const string Page = "docs/reference/configuration.md";

    private const string Update =
        "UPDATE_DOCS=1 dotnet test --project tests/Architecture.Tests -c Release --filter-class \"*ConfigurationPageTests\"";

    private static readonly string[] Services =
    [
        "Ingestion",
        "Workflow",
        "Package",
        "DroneScheduler",
        "Delivery",
        "Gateway",
    ];

    [Fact]
    public void Page_lists_each_setting_with_its_default_and_range()
    {
        var path = Path.Combine(Repository.Root, Page);
        var page = File.ReadAllText(path);
        var sections = Services.SelectMany(SettingsOf).GroupBy(setting => setting.Section).ToList();
        var ranges = Ranges();

        var expected = GeneratedTable()
            .Replace(page, match => match.Groups["begin"].Value + Rows(match.Groups["section"].Value) + "<!-- end -->");
        if (Environment.GetEnvironmentVariable("UPDATE_DOCS") is "1")
            File.WriteAllText(path, expected);

        Assert.Equal(
            sections.Select(section => section.Key).Order(),
            GeneratedTable().Matches(page).Select(match => match.Groups["section"].Value).Order()
        );
        Assert.True(
            File.ReadAllText(path) == expected,
            $"{Page} differs from appsettings.json. To update it: {Update}"
        );

        string Rows(string section) => Table(sections.Single(settings => settings.Key == section).ToList(), ranges);
    }

    private static string Table(List<Setting> settings, Dictionary<string, string> ranges)
    {
        var users = settings.Select(setting => setting.Service).Distinct().ToList();
        var rows = settings
            .GroupBy(setting => (setting.Name, setting.Default, setting.Description))
            .OrderBy(row => settings.FindIndex(setting => setting.Name == row.Key.Name))
            .Select(row =>
            {
                var services = row.Select(setting => setting.Service).ToList();
                var limitedTo = services.Count == users.Count ? "" : $"{string.Join(", ", services)}: ";
                var range = ranges.GetValueOrDefault(row.Key.Name, "");
                return $"| `{row.Key.Name}` | {row.Key.Default} | {range} | {limitedTo}{row.Key.Description} |\n";
            });
        return $"Read by: {string.Join(", ", users)}.\n\n| Setting | Default | Range | Description |\n|---|---|---|---|\n"
            + string.Concat(rows);
    }

    private static List<Setting> SettingsOf(string service)
    {
        var (settings, path, comment) = (new List<Setting>(), new List<string>(), new List<string>());
        foreach (var line in File.ReadLines(Path.Combine(Repository.Root, "services", service, "appsettings.json")))
        {
            var text = line.Trim().TrimEnd(',');
            if (text.StartsWith("//", StringComparison.Ordinal))
            {
                comment.Add(text[2..].Trim());
                continue;
            }
            if (Member().Match(text) is { Success: true } member)
            {
                path.Add(member.Groups["name"].Value);
                if (member.Groups["value"].Value is not "{")
                {
                    settings.Add(
                        new(
                            service,
                            path[0],
                            string.Join(':', path),
                            DefaultOf(member.Groups["value"].Value),
                            string.Join(' ', comment)
                        )
                    );
                    path.RemoveAt(path.Count - 1);
                }
            }
            else if (text is "}" && path.Count > 0)
            {
                path.RemoveAt(path.Count - 1);
            }
            comment.Clear();
        }
        return settings;
    }

    private static string DefaultOf(string json) => json is "null" or "{}" ? "none" : $"`{json.Trim('"')}`";

    /// <summary>Returns the <c>[Range]</c> of each option by the name of its setting.</summary>
    private static Dictionary<string, string> Ranges() =>
        (
            from file in Repository.Code()
            where file.Path.EndsWith("Options.cs", StringComparison.Ordinal)
            let section = SectionName().Match(file.Text).Groups["name"].Value
            where section.Length > 0
            from Match range in RangeOfOption().Matches(file.Text)
            select (
                Name: $"{section}:{range.Groups["name"].Value}",
                Range: $"{Plain(range.Groups["min"].Value)} to {Plain(range.Groups["max"].Value)}"
            )
        )
            .DistinctBy(option => option.Name)
            .ToDictionary(option => option.Name, option => option.Range);

    private static string Plain(string value) => WholeNumber().Replace(value.Trim('"').Replace('_', ','), "$1");

    private sealed record Setting(string Service, string Section, string Name, string Default, string Description);

    [GeneratedRegex("(?<begin><!-- (?<section>\\w+): generated -->\n).*?<!-- end -->", RegexOptions.Singleline)]
    private static partial Regex GeneratedTable();

    [GeneratedRegex("^(\\d+)\\.0$")]
    private static partial Regex WholeNumber();

    [GeneratedRegex("^\"(?<name>\\w+)\": (?<value>.+)$")]
    private static partial Regex Member();

    [GeneratedRegex("const string Section = \"(?<name>\\w+)\"")]
    private static partial Regex SectionName();

    [GeneratedRegex(
        "\\[Range\\((?:typeof\\(TimeSpan\\), )?(?<min>[^,]+), (?<max>[^)]+)\\)\\]\\s+public \\S+ (?<name>\\w+)"
    )]
    private static partial Regex RangeOfOption();
}
