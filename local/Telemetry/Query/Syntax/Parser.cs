namespace DroneDelivery.Telemetry.Query;

/// <summary>Statements and the steps of a query. Each operator reads itself, with what is here.</summary>
internal sealed class Parser
{
    private const int MaxOperators = 200;

    private readonly TokenStream _tokens;
    private readonly ExpressionParser _expressions;

    private Parser(TokenStream tokens)
    {
        _tokens = tokens;
        _expressions = new(tokens, ParseValueOrQuery);
    }

    public static Script Parse(QueryText text)
    {
        try
        {
            return new Parser(new(text)).ParseScript(text);
        }
        catch (InsufficientExecutionStackException)
        {
            throw text.Error(0, "the query is nested too deeply.", "Split it with let statements.");
        }
    }

    public TokenStream Tokens => _tokens;

    public Expression ParseExpression() => _expressions.Parse();

    /// <summary><c>NAME = VALUE</c> or a value alone, with commas between them.</summary>
    public List<Named> ParseColumns() => _tokens.List(ParseNamed);

    /// <summary>A table's name, or a query in parentheses.</summary>
    public Expression ParseTable(string what) =>
        _tokens.Current.Is("(") ? _expressions.Parse() : new Name(_tokens.Current.At, _tokens.ExpectName(what).Text);

    /// <summary><c>name=word</c>; null when it is not there.</summary>
    public Token? ParseOption(string name)
    {
        if (!_tokens.Current.Is(name) || !_tokens.Next.Is("="))
            return null;
        _tokens.Take();
        _tokens.Take();
        return _tokens.ExpectWord($"a word after '{name}='");
    }

    private Script ParseScript(QueryText text)
    {
        var lets = new List<Let>();
        while (_tokens.Current.Is("let"))
            lets.Add(ParseLet());
        if (_tokens.Current.Kind == TokenKind.End)
        {
            throw _tokens.Unexpected(
                "a query",
                lets.Count > 0
                    ? "The let statements are not used: add a query after the last ';'."
                    : "For example: requests | take 10."
            );
        }
        var query = ParsePipeline();
        _tokens.Accept(";");
        if (_tokens.Current.Kind != TokenKind.End)
            throw AfterQuery();
        return new(text, lets, query);
    }

    private KqlException AfterQuery() =>
        _tokens.Unexpected(
            "'|' or the end of the query",
            _tokens.Current switch
            {
                { Kind: TokenKind.Word } word when OperatorTable.Steps.Contains(word.Text) =>
                    $"Put a pipe before it: | {word.Text}.",
                { Text: ")" } => "There is no '(' to it.",
                _ => "Steps are separated by '|', statements by ';'.",
            }
        );

    private Let ParseLet()
    {
        _tokens.Take();
        var name = _tokens.ExpectName("a name after 'let'");
        _tokens.Expect("=", $"after 'let {name.Text}'");
        if (_tokens.Current.Is("(") && _tokens.Next.Is(")"))
        {
            throw _tokens.Error(
                _tokens.Current.At,
                "functions cannot be declared: they are not supported here.",
                "Use let for values and for queries."
            );
        }
        var value = ParseValueOrQuery();
        _tokens.Expect(";", "at the end of the let statement");
        return new(name.At, name.Text, value);
    }

    private Expression ParseValueOrQuery()
    {
        var at = _tokens.Current.At;
        if (StartsSource())
            return new Tabular(at, ParsePipeline());
        var value = _expressions.Parse();
        return _tokens.Current.Is("|") ? new Tabular(at, new(SourceFrom(value), ParseSteps())) : value;
    }

    // "print" and "union" are also good names for a column: only what follows tells.
    private bool StartsSource() =>
        _tokens.Current.Kind == TokenKind.Word
        && OperatorTable.Sources.Contains(_tokens.Current.Text)
        && _tokens.Next is { Kind: TokenKind.Word or TokenKind.QuotedName or TokenKind.Literal } or { Text: "(" };

    private Pipeline ParsePipeline() => new(ParseSource(), ParseSteps());

    private Source ParseSource()
    {
        if (
            _tokens.Current.Kind == TokenKind.Word
            && OperatorTable.Find(_tokens.Current.Text)?.ParseSource is { } parse
        )
        {
            return parse(this, _tokens.Take());
        }

        if (_tokens.Next.Is("="))
        {
            throw _tokens.Error(
                _tokens.Next.At,
                "'|' or the end of the query was expected, not '='.",
                "A name is given with let NAME = …; before the query."
            );
        }
        return SourceFrom(_expressions.Parse());
    }

    private Source SourceFrom(Expression value) =>
        value switch
        {
            Name name => new NamedSource(name.At, name.Text),
            Tabular tabular => new NestedSource(tabular.At, tabular.Pipeline),
            Call call => throw _tokens.Error(
                call.At,
                $"'{call.Function}(…)' is not a table.",
                "Begin with the name of a table."
            ),
            _ => throw _tokens.Error(value.At, "a table was expected here.", "Begin with the name of a table."),
        };

    private List<Operator> ParseSteps()
    {
        var steps = new List<Operator>();
        while (_tokens.Accept("|"))
        {
            if (steps.Count == MaxOperators)
            {
                throw _tokens.Error(
                    _tokens.Current.At,
                    $"a query has at most {MaxOperators} steps.",
                    "Split it with let statements."
                );
            }
            steps.Add(ParseStep());
        }
        return steps;
    }

    private Operator ParseStep()
    {
        var name = ParseOperatorName();
        return OperatorTable.Find(name.Text)?.ParseStep is { } parse ? parse(this, name) : throw UnknownOperator(name);
    }

    // "project-away" comes as words and hyphens.
    private Token ParseOperatorName()
    {
        var name = _tokens.ExpectWord("an operator after '|'", "For example: | where success == false.");
        while (
            _tokens.Current.Is("-")
            && _tokens.Next.Kind == TokenKind.Word
            && _tokens.NextIsAdjacent
            && OperatorTable.IsFirstPart(name.Text)
        )
        {
            _tokens.Take();
            name = name with { Text = $"{name.Text}-{_tokens.Take().Text}" };
        }
        return name;
    }

    private KqlException UnknownOperator(Token name) =>
        OperatorTable.Sources.Contains(name.Text)
            ? _tokens.Error(
                name.At,
                $"'{name.Text}' begins a query and cannot follow '|'.",
                "extend adds columns to the rows."
            )
            : _tokens.Error(
                name.At,
                $"'{name.Text}' is not an operator.",
                Similar.Hint(name.Text, OperatorTable.Steps)
                    ?? $"Operators are {string.Join(", ", OperatorTable.Steps)}."
            );

    private Named ParseNamed()
    {
        var at = _tokens.Current.At;
        if (_tokens.Current.Kind is not (TokenKind.Word or TokenKind.QuotedName) || !_tokens.Next.Is("="))
            return new(at, null, _expressions.Parse());
        var name = _tokens.ExpectName("a name").Text;
        _tokens.Take();
        return new(at, name, _expressions.Parse());
    }
}
