using static DroneDelivery.LocalServiceBus.Entities.Rules.SqlOperators;

namespace DroneDelivery.LocalServiceBus.Entities.Rules;

/// <summary>
/// Parses the SQL of filters and actions. The grammar, lowest precedence first:
/// <code>
///   predicate  = both { OR both }            both = negated { AND negated }         negated = [ NOT ] test
///   test       = EXISTS ( property ) | ( predicate ) | sum comparison
///   comparison = ( = | &lt;&gt; | != | &lt; | &lt;= | &gt; | &gt;= ) sum | IS [ NOT ] NULL
///              | [ NOT ] IN ( sum { , sum } ) | [ NOT ] LIKE sum [ ESCAPE 'c' ]
///   sum        = product { ( + | - ) product }          product = factor { ( * | / | % ) factor }
///   factor     = ( + | - ) factor | constant | NULL | @parameter | newid() | property | ( sum )
///              | property ( sum ) | p ( sum )
///   property   = [ sys . | user . ] name     name = word | [name] | "name"
///   action     = statement { ( ; | , ) statement }      statement = SET property = sum | REMOVE property
/// </code>
/// Keywords and property names are case-insensitive.
/// </summary>
internal sealed class SqlParser
{
    /// <summary>The maximum length of a filter or action, in characters.</summary>
    public const int MaxLength = 1024;

    // Limits the stack, both for parsing and for evaluation.
    private const int MaxDepth = 32;

    // Operator precedence, lowest first.
    private const int Or = 1,
        And = 2,
        Not = 3,
        Comparison = 4,
        Added = 5,
        Multiplied = 6,
        Sign = 7;

    private static readonly Dictionary<string, int> Precedences = new(StringComparer.OrdinalIgnoreCase)
    {
        ["OR"] = Or,
        ["AND"] = And,
        ["="] = Comparison,
        ["<>"] = Comparison,
        ["!="] = Comparison,
        ["<"] = Comparison,
        ["<="] = Comparison,
        [">"] = Comparison,
        [">="] = Comparison,
        ["IS"] = Comparison,
        ["IN"] = Comparison,
        ["LIKE"] = Comparison,
        ["NOT"] = Comparison,
        ["+"] = Added,
        ["-"] = Added,
        ["*"] = Multiplied,
        ["/"] = Multiplied,
        ["%"] = Multiplied,
    };

    private readonly List<SqlToken> _tokens;
    private readonly IReadOnlyDictionary<string, object?> _parameters;
    private int _at;
    private int _depth;

    private SqlParser(string text, IReadOnlyDictionary<string, object?>? parameters)
    {
        if (text.Length > MaxLength)
            throw new SqlException($"an expression can have at most {MaxLength} characters", MaxLength + 1);
        _tokens = SqlTokens.Of(text);
        _parameters = parameters ?? new Dictionary<string, object?>();
    }

    private SqlToken Current => _tokens[_at];

    public static SqlPredicate Filter(string text, IReadOnlyDictionary<string, object?>? parameters = null)
    {
        var parser = new SqlParser(text, parameters);
        var predicate = parser.Test(parser.Read(Or));
        parser.Expect(SqlTokens.End);
        return predicate;
    }

    public static IReadOnlyList<SqlStatement> Action(
        string text,
        IReadOnlyDictionary<string, object?>? parameters = null
    )
    {
        var parser = new SqlParser(text, parameters);
        var statements = new List<SqlStatement> { parser.Statement() };
        while (parser.Take(";") || parser.Take(","))
        {
            if (parser.Current.Kind != SqlTokenKind.End)
                statements.Add(parser.Statement());
        }
        parser.Expect(SqlTokens.End);
        return statements;
    }

    private SqlStatement Statement()
    {
        if (!Current.Is("SET") && !Current.Is("REMOVE"))
            throw Unexpected("SET or REMOVE");
        var removes = _tokens[_at++].Is("REMOVE");
        var position = Current.Position;
        var property = Property();
        if (property.IsSystem && (removes || !SystemProperty.Settable.Contains(property.Name)))
            throw new SqlException($"an action cannot {(removes ? "remove" : "set")} sys.{property.Name}", position);
        if (removes)
            return new SqlStatement(property, null);
        Expect("=");
        return new SqlStatement(property, Sum());
    }

    private Term Read(int atLeast)
    {
        if (++_depth > MaxDepth)
            throw new SqlException($"more than {MaxDepth} levels of nesting", Current.Position);
        var left = First();
        while (
            Current.Kind is SqlTokenKind.Word or SqlTokenKind.Sign
            && Precedences.TryGetValue(Current.Text, out var precedence)
            && precedence >= atLeast
        )
        {
            left =
                precedence <= And ? Joined(left, precedence)
                : precedence == Comparison ? Compared(left)
                : Calculated(left, precedence);
        }
        _depth--;
        return left;
    }

    private Term First()
    {
        if (Take("("))
            return Closed(() => Read(Or));
        if (Take("NOT"))
            return Negation(Test(Read(Not)));
        if (IsCall("EXISTS"))
            return new(null, Called(Property).Exists);
        if (Current.Is("+") || Current.Is("-"))
            return new(Signed(), null);
        return new(Operand(), null);
    }

    private Term Joined(Term left, int precedence)
    {
        var one = Test(left);
        _at++;
        var other = Test(Read(precedence + 1));
        return new(null, precedence == Or ? SqlOperators.Or(one, other) : SqlOperators.And(one, other));
    }

    private Term Calculated(Term left, int precedence)
    {
        var value = Value(left);
        return new(Calculate(_tokens[_at++].Text[0], value, Value(Read(precedence + 1))), null);
    }

    private Term Compared(Term term)
    {
        var left = Value(term);
        if (Current.Kind == SqlTokenKind.Sign)
            return new(null, Compare(_tokens[_at++].Text, left, Sum()));
        if (Take("IS"))
        {
            var isNot = Take("NOT");
            Expect("NULL");
            return new(null, message => left(message) is null != isNot);
        }
        var negated = Take("NOT");
        SqlPredicate predicate =
            Take("IN") ? In(left, List())
            : Take("LIKE") ? new SqlLike(left, Sum(), Take("ESCAPE") ? Escape() : null).Test
            : throw Unexpected("IN or LIKE");
        return negated ? Negation(predicate) : new(null, predicate);
    }

    private static Term Negation(SqlPredicate operand) => new(null, message => !operand(message));

    private SqlExpression Signed()
    {
        var isNegative = _tokens[_at++].Text == "-";
        var operand = Value(Read(Sign));
        return isNegative ? Calculate('-', Constant(0L), operand) : operand;
    }

    private SqlExpression Operand()
    {
        if (Current.Is("@"))
            return Parameter();
        if (Current.Kind == SqlTokenKind.Constant)
            return Constant(_tokens[_at++].Value);
        if (Take("NULL"))
            return Constant(null);
        if (IsCall("newid"))
            return Called<SqlExpression>(() => _ => Guid.NewGuid());
        if (!IsCall("property") && !IsCall("p"))
            return Property().Evaluate;
        var name = Called(Sum);
        return message => SqlProperty.Evaluate(name(message), message);
    }

    private SqlExpression Sum() => Value(Read(Added));

    private SqlPredicate Test(Term term) => term.Test ?? throw Unexpected("a comparison");

    private SqlExpression Value(Term term) => term.Value ?? throw Unexpected("a value, not a comparison,");

    private bool IsCall(string function) => Current.Is(function) && _tokens[_at + 1].Is("(");

    private T Called<T>(Func<T> argument)
    {
        _at += 2;
        return Closed(argument);
    }

    private T Closed<T>(Func<T> content)
    {
        var read = content();
        Expect(")");
        return read;
    }

    private List<SqlExpression> List()
    {
        Expect("(");
        var values = new List<SqlExpression>();
        do
        {
            values.Add(Sum());
        } while (Take(","));
        Expect(")");
        return values;
    }

    private char Escape()
    {
        if (Current is not { Kind: SqlTokenKind.Constant, Value: string { Length: 1 } escape })
            throw Unexpected("a string of one character");
        _at++;
        return escape[0];
    }

    private SqlExpression Parameter()
    {
        var token = _tokens[_at++];
        var name = "@" + Name();
        return _parameters.TryGetValue(name, out var value)
            ? Constant(SqlValue.Of(value))
            : throw new SqlException($"no value for the parameter {Excerpt.Of(name)}", token.Position);
    }

    private SqlProperty Property()
    {
        var start = Current;
        var name = Name();
        if (!Take("."))
            return new SqlProperty(false, name);
        if (start.Is("user"))
            return new SqlProperty(false, Name());
        if (!start.Is("sys"))
            throw new SqlException($"expected the prefix sys or user, found '{Excerpt.Of(name)}'", start.Position);
        var position = Current.Position;
        var written = Name();
        return SystemProperty.Find(written) is { } known
            ? new SqlProperty(true, known)
            : throw new SqlException(
                $"unknown property sys.{Excerpt.Of(written)}. Expected one of {string.Join(", ", SystemProperty.Names)}",
                position
            );
    }

    private static readonly HashSet<string> Keywords = new(
        ["AND", "OR", "NOT", "IS", "NULL", "IN", "LIKE", "ESCAPE", "EXISTS", "SET", "REMOVE"],
        StringComparer.OrdinalIgnoreCase
    );

    private string Name()
    {
        var token = Current;
        if (token.Kind != SqlTokenKind.Name && (token.Kind != SqlTokenKind.Word || Keywords.Contains(token.Text)))
            throw Unexpected("a value or a property name");
        _at++;
        return token.Text;
    }

    private bool Take(string word)
    {
        if (!Current.Is(word))
            return false;
        _at++;
        return true;
    }

    private void Expect(string word)
    {
        if (!Take(word))
            throw Unexpected(word);
    }

    private SqlException Unexpected(string expected)
    {
        var found = Current.Kind == SqlTokenKind.End ? Current.Text : $"'{Excerpt.Of(Current.Text)}'";
        return new($"Expected {expected}, found {found}", Current.Position);
    }

    private readonly record struct Term(SqlExpression? Value, SqlPredicate? Test);
}
