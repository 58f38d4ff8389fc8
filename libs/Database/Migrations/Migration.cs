using System.Reflection;
using System.Security.Cryptography;
using System.Text;
using System.Text.RegularExpressions;

namespace DroneDelivery.Database.Migrations;

/// <summary>One step of a service's tables: a file <c>Migrations/0001-what-it-does.sql</c> whose SQL both engines understand.</summary>
internal sealed partial record Migration(string Name, string Sql)
{
    /// <summary>A file that was applied and is changed afterwards is known by this.</summary>
    public string Checksum => Convert.ToHexStringLower(SHA256.HashData(Encoding.UTF8.GetBytes(Sql)));

    public IEnumerable<string> Tables => CreatedTable().Matches(Sql).Select(match => match.Groups[1].Value);

    /// <summary>The files that an assembly embeds, in the order of their numbers.</summary>
    public static IReadOnlyList<Migration> AllOf(Assembly assembly) =>
        [
            .. assembly
                .GetManifestResourceNames()
                .Where(name => name.EndsWith(".sql", StringComparison.Ordinal))
                .Order(StringComparer.Ordinal)
                .Select(name => new Migration(name, TextOf(assembly, name))),
        ];

    public override string ToString() => Name;

    // A checkout on Windows may have other ends of lines; the migration is the same.
    private static string TextOf(Assembly assembly, string name)
    {
        using var reader = new StreamReader(assembly.GetManifestResourceStream(name)!);
        return reader.ReadToEnd().ReplaceLineEndings("\n");
    }

    [GeneratedRegex(@"^create table (?:if not exists )?(\w+)", RegexOptions.Multiline)]
    private static partial Regex CreatedTable();
}
