using DroneDelivery.Telemetry.Tables;

namespace DroneDelivery.Telemetry.Query;

/// <summary><c>join kind=inner TABLE on NAME, …</c></summary>
/// <param name="Kind">As written; null when the query leaves it out.</param>
/// <param name="On">A name that both sides have, or <c>$left.a == $right.b</c>.</param>
internal sealed record JoinOperator(int At, string? Kind, Expression Right, IReadOnlyList<Expression> On) : Operator(At)
{
    private static readonly string[] OtherKinds =
    [
        "innerunique",
        "rightouter",
        "fullouter",
        "leftanti",
        "anti",
        "leftantisemi",
        "rightanti",
        "rightantisemi",
        "leftsemi",
        "rightsemi",
    ];

    public static JoinOperator Parse(Parser parser, Token name)
    {
        var kind = parser.ParseOption("kind")?.Text;
        var right = parser.ParseTable("a table or '(' after 'join'");
        parser.Tokens.Expect("on", "after the table to join", "For example: join kind=inner (T) on operation_Id.");
        return new(name.At, kind, right, parser.Tokens.List(parser.ParseExpression));
    }

    public override Plan Bind(Plan source, QueryBinder binder)
    {
        var outer = IsOuter(binder);
        var right = binder.BindTable(Right);
        var (leftKeys, rightKeys) = (new List<Scalar>(), new List<Scalar>());
        foreach (var condition in On)
        {
            var (a, b) = BindCondition(condition, source, right, binder);
            leftKeys.Add(a);
            rightKeys.Add(b);
        }
        var names = new ColumnNames(binder.Text);
        foreach (var column in source.Columns.Concat(right.Columns))
            names.AddDerived(column.Name, column.Type);
        return new JoinPlan(source, right, leftKeys, rightKeys, outer, names.Columns);
    }

    private bool IsOuter(QueryBinder binder) =>
        Kind switch
        {
            "inner" => false,
            "leftouter" => true,
            null => throw binder.Error(
                At,
                "join without a kind leaves out repeated rows of the left side, which is not supported.",
                "Write join kind=inner or join kind=leftouter."
            ),
            var kind when OtherKinds.Contains(kind) => throw binder.Error(
                At,
                $"join kind={kind} is not supported.",
                "Write kind=inner or kind=leftouter."
            ),
            var kind => throw binder.Error(
                At,
                $"'{kind}' is not a kind of join.",
                Similar.Hint(kind, ["inner", "leftouter"]) ?? "Write kind=inner or kind=leftouter."
            ),
        };

    private static (Scalar Left, Scalar Right) BindCondition(
        Expression condition,
        Plan left,
        Plan right,
        QueryBinder binder
    )
    {
        var (a, b) = Keys(condition)
            ?? throw binder.Error(
                condition.At,
                "tables are joined on columns.",
                "Write on NAME, or on $left.a == $right.b."
            );
        var leftKey = binder.Expressions(left.Columns).Bind(a);
        var rightKey = binder.Expressions(right.Columns).Bind(b);
        if (leftKey.Type == rightKey.Type && leftKey.Type != ColumnType.Dynamic)
            return (leftKey, rightKey);
        if (Conversions.Cost(leftKey.Type, rightKey.Type) is not null)
        {
            leftKey = Conversions.Convert(leftKey, rightKey.Type);
        }
        else if (Conversions.Cost(rightKey.Type, leftKey.Type) is not null)
        {
            rightKey = Conversions.Convert(rightKey, leftKey.Type);
        }
        else
        {
            throw binder.Error(
                condition.At,
                $"'{a.Text}' is {leftKey.Type.KqlName()} and '{b.Text}' is {rightKey.Type.KqlName()}.",
                "Convert one of them with extend before the join."
            );
        }
        return leftKey.Type != ColumnType.Dynamic
            ? (leftKey, rightKey)
            : throw binder.Error(
                condition.At,
                $"'{a.Text}' is dynamic and cannot be compared.",
                "Extend both sides with tostring(…) first."
            );
    }

    private static (Name Left, Name Right)? Keys(Expression condition) =>
        condition switch
        {
            Name name => (name, name),
            Compare { Comparison.Name: "==", Left: Member a, Right: Member b } => (Side(a), Side(b)) switch
            {
                ("$left", "$right") => (Key(a), Key(b)),
                ("$right", "$left") => (Key(b), Key(a)),
                _ => null,
            },
            _ => null,
        };

    private static string? Side(Member member) => (member.Target as Name)?.Text;

    private static Name Key(Member member) => new(member.At, member.Key);
}
