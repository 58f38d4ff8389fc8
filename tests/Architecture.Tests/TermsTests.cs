using DroneDelivery.Testing;

namespace DroneDelivery.Architecture.Tests;

/// <summary>
/// Pages, comments, messages and names of tests use the field's terms and American spelling, as CONTRIBUTING.md asks.
/// </summary>
public sealed class TermsTests
{
    private const string List = "tests/Architecture.Tests/terms.txt";

    private const string Update =
        "UPDATE_TERMS=1 dotnet test --project tests/Architecture.Tests -c Release --filter-class \"*TermsTests\"";

    private static readonly string AllowedFile = FullPath("tests/Architecture.Tests/terms.allowed.txt");

    /// <summary>Files that commands generate from text that is checked at its source.</summary>
    private static readonly string[] Generated =
    [
        "docs/reference/lab.md",
        "docs/reference/results.md",
        "docs/reference/stages.md",
        "helm/drone-delivery/README.md",
        "samples/articles/results.md",
    ];

    private static readonly string[] NotOurs = ["artifacts", "bin", "obj", "node_modules", ".git"];

    [Fact]
    public void Text_uses_the_terms_of_the_field()
    {
        var terms = Term.ReadFrom(FullPath(List));
        var hits = Files().SelectMany(file => HitsIn(file.Path, file.Text, terms)).ToList();
        if (Environment.GetEnvironmentVariable("UPDATE_TERMS") is "1")
            UpdateAllowed(Count(hits));

        var problems = Problems(hits, AllowedTerms.ReadFrom(AllowedFile)).ToList();

        Assert.True(problems.Count == 0, string.Join('\n', problems));
    }

    [Theory]
    [InlineData("a.cs", "// The BAD one.", 1)]
    [InlineData("a.cs", "/// <summary>It is bad.</summary>", 1)]
    [InlineData("a.cs", "// In two\n    // words.", 1)]
    [InlineData("a.cs", "/* bad */ Log(\"bad {Bad}\", $\"{bad} bad\", @\"bad\", '\"', \"\"\"\n  bad\n\"\"\");", 5)]
    [InlineData("a.cs", "[Theory, InlineData(1)]\n[InlineData(2)]\npublic async Task A_bad_name(int n) { }", 1)]
    [InlineData("a.cs", "var bad = bad(); // <c>bad</c>, <see cref=\"Bad\"/>, `bad`", 0)]
    [InlineData("a.cs", "public void A_bad_name() { } // badly", 0)]
    [InlineData("a.cs", "/// <param name=\"bad\">Of the lock.</param>", 1)]
    [InlineData("a.cs", "// A wish\n// Of the lock.", 0)]
    [InlineData("a.md", "A page is bad, in two\nwords.", 2)]
    [InlineData("a.md", "| Of | `bad` | bad |", 2)]
    [InlineData("a.md", "[link](bad.md), <https://bad>\n\n```sh\nbad\n```\n", 0)]
    [InlineData("a.md", "- Ends in\n- two words.\n- Made\n  Of it.", 0)]
    [InlineData("a.json", "{ \"claim\": \"is bad\" }", 1)]
    public void Prose_is_found_between_code(string path, string text, int expected)
    {
        Term[] terms =
        [
            Term.Parse("bad → good"),
            Term.Parse("in two words → in short"),
            Term.Parse("^(?-i:Of) → a noun"),
        ];

        Assert.Equal(expected, HitsIn(path, text.ReplaceLineEndings("\n"), terms).Count());
    }

    [Fact]
    public void Hit_reports_its_line_and_the_replacement()
    {
        var hits = HitsIn(
            "docs/x.md",
            "First.\n\nIt takes  after two\npavements.",
            [Term.Parse("takes after → resembles"), Term.Parse("pavement(s?) → sidewalk$1")]
        );

        Assert.Equal(
            [
                $"docs/x.md:3: \"takes after\" → write \"resembles\" ({List})",
                $"docs/x.md:4: \"pavements\" → write \"sidewalks\" ({List})",
            ],
            Problems([.. hits], new([]))
        );
    }

    [Fact]
    public void Allowed_phrase_passes_only_in_its_file_up_to_its_count()
    {
        var hits = HitsIn("docs/x.md", "bad, bad", [Term.Parse("bad → good")]).ToList();

        Assert.Empty(Problems(hits, new([(("docs/x.md", "bad"), 2)])));
        Assert.Equal(2, Problems(hits, new([(("docs/x.md", "bad"), 1)])).Count());
        Assert.Equal(3, Problems(hits, new([(("docs/y.md", "bad"), 2)])).Count());
        Assert.Equal(
            [$"docs/x.md: \"bad\" is allowed 3 times and found 2 times. Run: {Update}"],
            Problems(hits, new([(("docs/x.md", "bad"), 3)]))
        );
    }

    [Fact]
    public void Update_of_the_allowed_phrases_only_lowers_counts()
    {
        var allowed = new AllowedTerms([(("a", "bad"), 3), (("b", "bad"), 1), (("c", "bad"), 1)]);

        var lowered = allowed.LoweredTo(new([(("a", "bad"), 2), (("b", "bad"), 2), (("d", "bad"), 1)]));

        Assert.Equal([(("a", "bad"), 2), (("b", "bad"), 1)], lowered.Counts);
    }

    private static void UpdateAllowed(AllowedTerms found)
    {
        var updated = File.Exists(AllowedFile) ? AllowedTerms.ReadFrom(AllowedFile).LoweredTo(found) : found;
        updated.WriteTo(AllowedFile);
    }

    private static IEnumerable<string> Problems(IReadOnlyCollection<Hit> hits, AllowedTerms allowed)
    {
        var found = Count(hits);
        var surplus = hits.Where(hit => found.CountOf(hit.File, hit.Key) > allowed.CountOf(hit.File, hit.Key));
        var missing = allowed.Counts.Where(entry => found.CountOf(entry.Key.File, entry.Key.Phrase) < entry.Count);
        return
        [
            .. surplus.Select(hit => $"{hit.File}:{hit.Line}: \"{hit.Phrase}\" → write \"{hit.Replacement}\" ({List})"),
            .. missing.Select(entry =>
                $"{entry.Key.File}: \"{entry.Key.Phrase}\" is allowed {entry.Count} times"
                + $" and found {found.CountOf(entry.Key.File, entry.Key.Phrase)} times. Run: {Update}"
            ),
        ];
    }

    private static AllowedTerms Count(IEnumerable<Hit> hits) =>
        new(hits.GroupBy(hit => (hit.File, hit.Key)).Select(group => (group.Key, group.Count())));

    private static IEnumerable<Hit> HitsIn(string path, string text, IReadOnlyCollection<Term> terms) =>
        from prose in Prose.In(path, text)
        from term in terms
        from hit in term.FindIn(prose.Text)
        orderby prose.Offset + hit.Index
        select new Hit(path, LineOf(text, prose.Offset + hit.Index), hit.Phrase, hit.Replacement);

    private static int LineOf(string text, int offset) => text.AsSpan(0, offset).Count('\n') + 1;

    private static IEnumerable<(string Path, string Text)> Files()
    {
        string[] folders = ["services", "libs", "local", "loadtest", "samples", "bench", "tests", "docs"];
        var files = Directory
            .EnumerateFiles(Repository.Root, "*.md")
            .Concat(folders.SelectMany(folder => FilesIn(FullPath(folder))));
        return files
            .Select(file => (Path: Path.GetRelativePath(Repository.Root, file), Text: File.ReadAllText(file)))
            .Where(file => !Generated.Contains(file.Path));
    }

    private static IEnumerable<string> FilesIn(string folder) =>
        Directory
            .EnumerateFiles(folder)
            .Where(HasProse)
            .Concat(
                Directory
                    .EnumerateDirectories(folder)
                    .Where(path => !NotOurs.Contains(Path.GetFileName(path)))
                    .SelectMany(FilesIn)
            );

    // Stages and experiments contain the text of their checks.
    private static bool HasProse(string file) =>
        Path.GetExtension(file) switch
        {
            ".cs" or ".md" => true,
            ".json" => Path.GetFileName(Path.GetDirectoryName(file)) is "stages" or "experiments",
            _ => false,
        };

    private static string FullPath(string path) => Path.Combine(Repository.Root, path);

    private sealed record Hit(string File, int Line, string Phrase, string Replacement)
    {
        /// <summary>The key of the phrase in the list of allowed ones.</summary>
        public string Key => Phrase.ToLowerInvariant();
    }
}
