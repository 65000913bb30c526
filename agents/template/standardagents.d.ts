// Lets an editor check this project where the @standardagents packages aren't
// installed. sideb has these modules built in and doesn't read this file.
declare module "@standardagents/*";
