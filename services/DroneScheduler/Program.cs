using DroneDelivery.Contracts;
using DroneDelivery.Database;
using DroneDelivery.Database.Retention;
using DroneDelivery.DroneScheduler;
using DroneDelivery.DroneScheduler.Fleet;
using DroneDelivery.ServiceDefaults;
using DroneDelivery.ServiceDefaults.Security;

var builder = WebApplication.CreateSlimBuilder(MigrateCommand.GetConfigurationArguments(args));
builder.AddServiceDefaults("dronescheduler", ContractJson.Configure);
builder.Services.AddDatabase("dronescheduler", typeof(AssignmentStore).Assembly);
builder.Services.AddSingleton<FleetStore>();
builder.Services.AddSingleton<AssignmentStore>();
builder.Services.AddRetention(
    new OldRows("assignments", AssignmentStore.Purge),
    new OldRows("tombstones of failed requests", AssignmentChange.PurgeFailed)
);
builder.AddCallers();

var app = builder.Build();
app.MapServiceDefaults();
app.UseCallers();
app.MapDroneDeliveries();
app.MapDrones();
return await app.RunOrMigrateAsync(args);
